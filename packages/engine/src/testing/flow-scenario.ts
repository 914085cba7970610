import type { FlowNode } from '@parley/contract/flow-node'
import type { DialogueEvent, DialogueState, FlowEngine, FlowGraph, HistoryMessage } from '../dialogue/conversation.ts'
import { NO_KNOWLEDGE } from '../dialogue/knowledge/knowledge-use.ts'
import { applyVariableUpdates } from '../dialogue/variables/variable-updates.ts'
import { runScenario, type ScenarioOptions } from './dialogue-scenario.ts'
import { callsTools, type ScriptedStep } from './scripted-model.ts'

/** Edges, nodes and conversations of flows, written shortly. */

/** An edge with a condition in words. Without a destination it leaves the component. */
export function promptEdge(id: string, prompt: string, destination?: string) {
  return { id, transition_condition: { type: 'prompt', prompt } as const, ...to(destination) }
}

/** An edge with an equation as text. */
export function equationEdge(id: string, equation: string, destination?: string) {
  return { id, transition_condition: { type: 'equation', prompt: equation } as const, ...to(destination) }
}

/** An edge whose place says when it is taken. */
export function fixedEdge(id: string, destination?: string) {
  return { id, ...to(destination) }
}

function to(destination: string | undefined) {
  return destination === undefined ? {} : { destination_node_id: destination }
}

type ConversationNode = Extract<FlowNode, { type: 'conversation' }>
type Fields = Omit<Partial<ConversationNode>, 'id' | 'type' | 'instruction'>

/** A node that speaks by its model. */
export function promptNode(id: string, text: string, fields: Fields = {}): ConversationNode {
  return { ...fields, id, type: 'conversation', instruction: { type: 'prompt', text } }
}

/** A node that says a text as it is. */
export function staticNode(id: string, text: string, fields: Fields = {}): ConversationNode {
  return { ...fields, id, type: 'conversation', instruction: { type: 'static_text', text } }
}

/** A component that begins at its first node. */
export function graphOf(nodes: readonly FlowNode[], fields: Partial<FlowGraph> = {}): FlowGraph {
  return { startNodeId: nodes[0]?.id ?? '', nodes, tools: [], mcps: [], ...fields }
}

/** A flow that begins at its first node; its model is `main`. */
export function flowOf(nodes: readonly FlowNode[], fields: Partial<FlowEngine> = {}): FlowEngine {
  return {
    kind: 'conversation-flow',
    id: 'conversation_flow_1',
    version: 1,
    model: 'main',
    temperature: null,
    knowledge: NO_KNOWLEDGE,
    globalPrompt: 'You are a test.',
    startSpeaker: 'agent',
    maxHopsPerTurn: 8,
    components: {},
    defaultVariables: {},
    ...graphOf(nodes),
    ...fields,
  }
}

/** A router's answer. */
export function chooses(choice: string, variables: Readonly<Record<string, unknown>> = {}): ScriptedStep {
  return callsTools(['choose_transition', { choice, reason: 'because', ...variables }])
}

/** What is stored of a conversation. */
export interface Memory {
  readonly history: readonly HistoryMessage[]
  readonly state: DialogueState | null
  readonly omittedMessages?: number
}

/** A conversation of which nothing was said. */
export const EMPTY_MEMORY: Memory = { history: [], state: null }

/** Runs one turn and stores it as a driver does. `text: null` continues. */
export async function runStoredFlowTurn(
  graph: FlowEngine,
  memory: Memory,
  { text, ...options }: Omit<ScenarioOptions, 'graph' | 'input'> & { readonly text: string | null },
): Promise<{ readonly events: readonly DialogueEvent[]; readonly memory: Memory }> {
  const input = text === null ? ({ type: 'continue' } as const) : ({ type: 'user-message', content: text } as const)
  const conversation = { ...options.conversation, ...memory }
  const events = await runScenario({ ...options, graph, conversation, input })
  return { events, memory: storeTurn(memory, text, events) }
}

/**
 * What a driver has stored after these events: a message with calls, a result, a transition and the end of a turn are
 * commits. With `isCut` the process died behind the last of them, so that what came after the last commit is lost.
 */
export function storeTurn(
  memory: Memory,
  text: string | null,
  events: readonly DialogueEvent[],
  isCut = false,
): Memory {
  const asked: readonly HistoryMessage[] = text === null ? [] : [{ role: 'user', content: text }]
  let stored: Memory = { history: [...memory.history, ...asked], state: memory.state }
  let { history, state } = stored
  for (const event of events) {
    history = [...history, ...messagesOf(event)]
    state = stateAfter(state, event)
    if (isCommit(event)) stored = { history, state }
  }
  return JSON.parse(JSON.stringify(isCut ? stored : { history, state })) as Memory
}

function messagesOf(event: DialogueEvent): HistoryMessage[] {
  if (event.type === 'tool-result') {
    const { toolCallId, name, fullContent } = event
    return [{ role: 'tool', toolCallId, name, content: fullContent }]
  }
  if (event.type !== 'message-end' || event.incomplete) return []
  return [{ role: 'assistant', content: event.content, toolCalls: event.toolCalls }]
}

function stateAfter(state: DialogueState | null, event: DialogueEvent): DialogueState | null {
  if (event.type === 'variables-collected') {
    return state && { ...state, collectedVariables: applyVariableUpdates(state.collectedVariables, event.variables) }
  }
  return 'state' in event && event.state !== undefined ? event.state : state
}

function isCommit(event: DialogueEvent): boolean {
  if (event.type === 'message-end') return event.toolCalls.length > 0
  return ['tool-result', 'node-transition', 'state-transition', 'turn-end'].includes(event.type)
}

/** Where a turn went: `from>to`, with the type of transition where it is not the normal one. */
export function transitionsOf(events: readonly DialogueEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'node-transition') return []
    const kind = event.transitionType === 'normal' ? '' : ` ${event.transitionType}`
    return [`${event.from?.nodeId ?? ''}>${event.to.nodeId}${kind}`]
  })
}

/** The words of each message of a turn. */
export function wordsOf(events: readonly DialogueEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'message-end' && event.content !== '' ? [event.content] : []))
}

/** The decisions of a turn: tier and edge. */
export function decisionsOf(events: readonly DialogueEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'explanation' || event.explanation.type !== 'flow-decision') return []
    const { tier, edgeId } = event.explanation
    return [edgeId === null ? tier : `${tier} ${edgeId}`]
  })
}
