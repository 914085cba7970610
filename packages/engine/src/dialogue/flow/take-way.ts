import type { DialogueEvent, FlowPlace, FlowPosition } from '../conversation.ts'
import type { Explanation } from '../explanation.ts'
import type { AskedCall } from '../models/ask-for-call.ts'
import { isByUser, type Moment, type Way } from './decide-transition.ts'
import { nodeIn, placesEnteredWith } from './flow-graph.ts'
import { isAtGlobal } from './flow-position.ts'
import type { FlowRun, Stand } from './flow-run.ts'
import type { FlowStep } from './flow-step.ts'

/** Takes a way. */
export function follow(
  run: FlowRun,
  { position, graph }: Stand,
  taken: { readonly way: Way; readonly moment: Moment; readonly told?: FlowRun['told'] },
): FlowStep {
  const { way, moment, told = null } = taken
  run.budget.count(isByUser(moment))
  run.told = null
  const place = placeBehind(way, position)
  if (way.type === 'global') return { type: 'go', place, arrival: { type: 'global' }, isBack: false }
  if (way.type === 'go-back') return { type: 'go', place, arrival: { type: 'global_go_back' }, isBack: false }
  const arrival = { type: 'normal', leavesGlobal: isAtGlobal(position) } as const
  if (way.destination === null) return { type: 'go', place, arrival, isBack: true }
  if (nodeIn(graph, way.destination)?.type === 'extract_dynamic_variables') run.told = told
  return { type: 'go', place, arrival, isBack: false }
}

function placeBehind(way: Way, position: FlowPosition): FlowPlace {
  if (way.type !== 'edge') return way.place
  return way.destination === null ? outer(position) : { nodeId: way.destination, path: position.path }
}

/** Whether a way leads to a place that the turn has entered before, without any change since. */
export function leadsInCircle({ budget, engine }: FlowRun, way: Way, { position }: Stand): boolean {
  if (way.type === 'edge' && way.destination === null) return false
  return placesEnteredWith(engine, placeBehind(way, position)).some((place) => budget.isRepeated(place))
}

/** Tells that a loop was stopped in front of the place that a way leads to. */
export function explainLoop({ node, position }: Stand, way: Way): DialogueEvent {
  const destinationNodeId = placeBehind(way, position).nodeId
  const where = { nodeId: node.id, path: position.path }
  return { type: 'explanation', explanation: { type: 'loop-stopped', ...where, destinationNodeId } }
}

/** The node that runs the component. */
function outer({ path }: FlowPosition): FlowPlace {
  return { nodeId: path.at(-1) ?? '', path: path.slice(0, -1) }
}

/** Tells what was decided at a node; `null` stays. */
export function explain(
  { node, position }: Stand,
  way: Way | null,
  facts: { readonly rationale: string; readonly asked?: AskedCall },
): DialogueEvent {
  const explanation: Explanation = {
    type: 'flow-decision',
    nodeId: node.id,
    path: position.path,
    tier: way?.tier ?? 'stay',
    edgeId: way === null || way.type === 'global' ? null : way.edgeId,
    destinationNodeId: way === null ? null : placeBehind(way, position).nodeId,
    latencyMs: facts.asked?.latencyMs ?? 0,
    inputTokens: facts.asked?.usage.inputTokens ?? 0,
    outputTokens: facts.asked?.usage.outputTokens ?? 0,
    rationale: facts.rationale,
  }
  return { type: 'explanation', explanation }
}
