import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { FlowEngine, FlowPosition } from '../conversation.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { decideTransition } from './decide-transition.ts'
import { nodeIn, placeKey } from './flow-graph.ts'
import { enterPlace, markListening } from './flow-position.ts'
import { instructionText } from './node-scene.ts'

/** The texts that a flow says before the user, one per node, and the position after them. */
export interface FlowOpening {
  readonly texts: readonly string[]
  readonly flow: FlowPosition
}

interface WalkContext {
  readonly engine: FlowEngine
  readonly lookup: VariableLookup
}

/**
 * The opening of a chat: the static text of the start node, followed by nodes that `skip_response_edge` leads to, as long as
 * equations, fixed edges and static texts suffice. `null` when the user speaks first. Steps that need a model wait for the
 * first turn.
 */
export function flowOpening(engine: FlowEngine, lookup: VariableLookup): FlowOpening | null {
  const walk = { engine, lookup }
  const start = nodeIn(engine, engine.startNodeId)
  if (engine.startSpeaker !== 'agent' || start === null) return null
  const text = staticText(start, lookup)
  if (text === null) return null
  let opening: FlowOpening = { texts: [text], flow: enter(null, start.id, 0) }
  for (let node: AnyFlowNode | null = start; node !== null; ) {
    const next = nextSpeaker(walk, node, opening)
    if (next !== null) opening = next.opening
    node = next?.node ?? null
  }
  return { ...opening, flow: markListening(opening.flow) }
}

/** Extends the opening by the next node with a static text; `null` when it stops. */
function nextSpeaker(
  { engine, lookup }: WalkContext,
  from: AnyFlowNode,
  { texts, flow }: FlowOpening,
): { readonly node: AnyFlowNode; readonly opening: FlowOpening } | null {
  if (from.skip_response_edge === undefined) return null
  let node = from
  let position = flow
  for (;;) {
    const next = nextNodeByRules({ engine, lookup }, node)
    // Visiting a place again would repeat its text.
    if (next === null || Object.hasOwn(position.visits, placeKey({ nodeId: next.id, path: [] }))) return null
    position = enter(position, next.id, texts.length)
    const text = staticText(next, lookup)
    if (text !== null) return { node: next, opening: { texts: [...texts, text], flow: position } }
    if (next.type !== 'branch') return null
    node = next
  }
}

/** The next node, if rules decide without a model. */
function nextNodeByRules({ engine, lookup }: WalkContext, node: AnyFlowNode): AnyFlowNode | null {
  const decision = decideTransition({
    node,
    trigger: node.type === 'branch' ? 'worked' : 'spoken',
    lookup,
    hasDestination: ({ destination_node_id: id }) => id !== undefined && nodeIn(engine, id) !== null,
    origin: null,
    globals: [],
  })
  if (decision.type !== 'take' || decision.route.type !== 'edge' || decision.route.destination === null) return null
  return nodeIn(engine, decision.route.destination)
}

function enter(from: FlowPosition | null, nodeId: string, messages: number): FlowPosition {
  return enterPlace(from, { nodeId, path: [] }, { arrival: 'normal', messages })
}

/** The node's static text; `null` when it is silent, ends the conversation or needs a model. */
function staticText(node: AnyFlowNode, lookup: VariableLookup): string | null {
  if (node.type !== 'conversation' && node.type !== 'subagent') return null
  if (node.instruction?.type !== 'static_text') return null
  const text = renderTemplate(instructionText(node), lookup)
  return text.trim() === '' ? null : text
}
