import type { DialogueEvent, FlowPlace, FlowPosition } from '../conversation.ts'
import { explain } from '../explanation.ts'
import type { RequestedCall } from '../models/request-tool-call.ts'
import { type DecisionTrigger, isUserTriggered, type Route } from './decide-transition.ts'
import { findNode, listEntryPlaces } from './flow-graph.ts'
import type { FlowRun, NodeContext } from './flow-run.ts'
import type { FlowStep } from './flow-step.ts'

/** Follows a route and returns the next step. */
export function followRoute(
  run: FlowRun,
  { position, graph }: NodeContext,
  selection: { readonly route: Route; readonly trigger: DecisionTrigger; readonly routerArgs?: FlowRun['routerArgs'] },
): FlowStep {
  const { route, trigger, routerArgs = null } = selection
  run.budget.countTransition(isUserTriggered(trigger))
  run.routerArgs = null
  const place = getRouteDestination(route, position)
  if (route.type === 'global') return { type: 'go', place, transitionType: 'global', isReturning: false }
  if (route.type === 'go-back') return { type: 'go', place, transitionType: 'global_go_back', isReturning: false }
  if (route.destination === null) return { type: 'go', place, transitionType: 'normal', isReturning: true }
  if (findNode(graph, route.destination)?.type === 'extract_dynamic_variables') run.routerArgs = routerArgs
  return { type: 'go', place, transitionType: 'normal', isReturning: false }
}

function getRouteDestination(route: Route, position: FlowPosition): FlowPlace {
  if (route.type !== 'edge') return route.place
  return route.destination === null ? toComponentPlace(position) : { nodeId: route.destination, path: position.path }
}

/** Whether a route leads to a place that the turn has already entered without any change since then. */
export function isRepeatedRoute({ budget, engine }: FlowRun, route: Route, { position }: NodeContext): boolean {
  if (route.type === 'edge' && route.destination === null) return false
  return listEntryPlaces(engine, getRouteDestination(route, position)).some((place) => budget.isRepeated(place))
}

/** Builds the event that reports a stopped loop. */
export function explainLoop({ node, position }: NodeContext, route: Route): DialogueEvent {
  const destinationNodeId = getRouteDestination(route, position).nodeId
  return explain({ type: 'loop-stopped', nodeId: node.id, path: position.path, destinationNodeId })
}

/** Returns the place of the `component` node around a position. */
function toComponentPlace({ path }: FlowPosition): FlowPlace {
  return { nodeId: path.at(-1) ?? '', path: path.slice(0, -1) }
}

/** Builds the event that explains a decision. A `null` route means that the flow stays. */
export function explainDecision(
  { node, position }: NodeContext,
  route: Route | null,
  details: { readonly rationale: string; readonly requestedCall?: RequestedCall },
): DialogueEvent {
  return explain({
    type: 'flow-decision',
    nodeId: node.id,
    path: position.path,
    tier: route?.tier ?? 'stay',
    edgeId: route === null || route.type === 'global' ? null : route.edgeId,
    destinationNodeId: route === null ? null : getRouteDestination(route, position).nodeId,
    latencyMs: details.requestedCall?.latencyMs ?? 0,
    inputTokens: details.requestedCall?.usage.inputTokens ?? 0,
    outputTokens: details.requestedCall?.usage.outputTokens ?? 0,
    rationale: details.rationale,
  })
}
