import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { FlowEngine, FlowPosition } from '../conversation.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { decideTransition } from './decide-transition.ts'
import { findNode, toPlaceKey } from './flow-graph.ts'
import { enterPlace, markListening } from './flow-position.ts'
import { getInstructionText } from './node-scene.ts'

/** The texts that a flow says before the user speaks, one per node, and the resulting position. */
export interface FlowOpening {
  readonly texts: readonly string[]
  readonly flow: FlowPosition
}

interface WalkContext {
  readonly engine: FlowEngine
  readonly lookup: VariableLookup
}

/**
 * Builds a chat's opening from the start node's static text and the nodes that `skip_response_edge` leads to. The opening uses
 * only equations, fixed edges and static texts; steps that need a model wait for the first turn. Returns `null` if the user
 * speaks first.
 */
export function buildFlowOpening(engine: FlowEngine, lookup: VariableLookup): FlowOpening | null {
  const context = { engine, lookup }
  const start = findNode(engine, engine.startNodeId)
  if (engine.startSpeaker !== 'agent' || start === null) return null
  const text = getStaticText(start, lookup)
  if (text === null) return null
  let opening: FlowOpening = { texts: [text], flow: enterNode(null, start.id, 0) }
  for (let node: AnyFlowNode | null = start; node !== null; ) {
    const next = extendOpening(context, node, opening)
    if (next !== null) opening = next.opening
    node = next?.node ?? null
  }
  return { ...opening, flow: markListening(opening.flow) }
}

/** Extends the opening by the next node with a static text, or returns `null` if the opening ends here. */
function extendOpening(
  { engine, lookup }: WalkContext,
  from: AnyFlowNode,
  { texts, flow }: FlowOpening,
): { readonly node: AnyFlowNode; readonly opening: FlowOpening } | null {
  if (from.skip_response_edge === undefined) return null
  let node = from
  let position = flow
  for (;;) {
    const nextNode = findNextNodeByRules({ engine, lookup }, node)
    // A second visit to a place would repeat its text.
    if (nextNode === null || Object.hasOwn(position.visits, toPlaceKey({ nodeId: nextNode.id, path: [] }))) return null
    position = enterNode(position, nextNode.id, texts.length)
    const text = getStaticText(nextNode, lookup)
    if (text !== null) return { node: nextNode, opening: { texts: [...texts, text], flow: position } }
    if (nextNode.type !== 'branch') return null
    node = nextNode
  }
}

/** Returns the next node if rules decide without a model, or `null` otherwise. */
function findNextNodeByRules({ engine, lookup }: WalkContext, node: AnyFlowNode): AnyFlowNode | null {
  const decision = decideTransition({
    node,
    trigger: node.type === 'branch' ? 'worked' : 'spoken',
    lookup,
    hasDestination: ({ destination_node_id: id }) => id !== undefined && findNode(engine, id) !== null,
    origin: null,
    globals: [],
  })
  if (decision.type !== 'take' || decision.route.type !== 'edge' || decision.route.destination === null) return null
  return findNode(engine, decision.route.destination)
}

function enterNode(from: FlowPosition | null, nodeId: string, messageCount: number): FlowPosition {
  return enterPlace(from, { nodeId, path: [] }, { transitionType: 'normal', messageCount })
}

/** Returns a node's static text, or `null` if the node is silent, ends the conversation or needs a model. */
function getStaticText(node: AnyFlowNode, lookup: VariableLookup): string | null {
  if (node.type !== 'conversation' && node.type !== 'subagent') return null
  if (node.instruction?.type !== 'static_text') return null
  const text = renderTemplate(getInstructionText(node), lookup)
  return text.trim() === '' ? null : text
}
