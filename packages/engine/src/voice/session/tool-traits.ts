import type { DialogueState, ResponseEngine } from '../../dialogue/conversation.ts'
import { graphAt, nodeAt } from '../../dialogue/flow/flow-graph.ts'

/** How a call behaves while its tool runs. */
export interface ToolTraits {
  readonly typingSound: boolean
}

const DEFAULT_TRAITS: ToolTraits = { typingSound: false }

/** What the agent's settings say of a tool where the conversation is now. */
export function toolTraits(engine: ResponseEngine, state: DialogueState | null, toolName: string): ToolTraits {
  if (engine.kind === 'custom-llm') return DEFAULT_TRAITS
  if (engine.kind === 'llm') {
    const tools = [...engine.tools, ...engine.states.flatMap(({ tools: own = [] }) => own)]
    const tool = tools.find(({ name }) => name === toolName)
    return { typingSound: tool?.enable_typing_sound === true }
  }
  const position = state?.flow
  const graph = position === undefined ? null : graphAt(engine, position.path)
  const node = graph === null || position === undefined ? null : nodeAt(engine, position)
  const hasSound = node !== null && 'enable_typing_sound' in node && node.enable_typing_sound === true
  const tool = graph?.tools.find(({ name }) => name === toolName)
  return { typingSound: hasSound || (tool !== undefined && hasTypingSound(tool)) }
}

function hasTypingSound(tool: object): boolean {
  return 'enable_typing_sound' in tool && tool.enable_typing_sound === true
}
