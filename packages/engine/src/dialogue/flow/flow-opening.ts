import type { FlowEngine, FlowPosition } from '../conversation.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { nodeIn } from './flow-graph.ts'
import { arrive, listening } from './flow-position.ts'
import { instructionText } from './node-scene.ts'

/**
 * What stands first in a chat, and where the conversation is then: a flow whose agent begins with a static text says it, in
 * all others the user opens (`null`). Never calls a model.
 */
export function flowOpening(
  engine: FlowEngine,
  lookup: VariableLookup,
): { readonly text: string; readonly flow: FlowPosition } | null {
  const node = nodeIn(engine, engine.startNodeId)
  if (engine.startSpeaker !== 'agent' || node?.instruction?.type !== 'static_text') return null
  if (node.type !== 'conversation' && node.type !== 'subagent') return null
  const text = renderTemplate(instructionText(node), lookup)
  if (text.trim() === '') return null
  const arrival = { type: 'normal', leavesGlobal: false } as const
  const flow = arrive(null, { nodeId: node.id, path: [] }, { arrival, messages: 0 })
  return { text, flow: listening(flow) }
}
