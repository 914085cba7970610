import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import { findElseEdge } from '@parley/contract/flow-node'
import type { ExtractedVariable } from '@parley/contract/tools'
import type { DialogueEvent, FlowPlace, FlowPosition } from '../conversation.ts'
import { explain } from '../explanation.ts'
import { decideApproval, findPendingApproval } from './decide-approval.ts'
import {
  type Choice,
  type Decision,
  type DecisionTrigger,
  decideTransition,
  isUserTriggered,
  type Route,
  toEdgeRoute,
} from './decide-transition.ts'
import { findNode, findNodeAt, listGlobalNodes } from './flow-graph.ts'
import { hasCooledDown, isAtGlobalNode } from './flow-position.ts'
import { type FlowRun, getPriorMessages, type NodeContext } from './flow-run.ts'
import { CANCELLED, COMPLETED, type FlowStep, WORK } from './flow-step.ts'
import { explainDecision, explainLoop, followRoute, isRepeatedRoute } from './follow-route.ts'
import { askRouter } from './router.ts'
import { getNodeVariables } from './run-extraction-node.ts'

/** The trigger of a decision and what happened at the node. */
interface DecisionCause {
  readonly trigger: DecisionTrigger
  /** What happened at the node, or `null` if the history already contains it. */
  readonly note: string | null
}

/** Decides where a flow continues from a node and explains the decision. Asks a model only if the rules do not decide. */
export async function* decideNextStep(
  run: FlowRun,
  context: NodeContext,
  cause: DecisionCause,
): AsyncGenerator<DialogueEvent, FlowStep> {
  const { trigger } = cause
  const approval = trigger === 'user' ? findPendingApproval(run, context) : null
  if (approval !== null)
    return yield* decideApproval(run, context, { approval, otherChoices: listGlobalAndBackChoices(run, context) })
  const decision = decideByRules(run, context, trigger)
  if (!isUserTriggered(trigger) && decision.type !== 'stay' && run.budget.isExhausted(decision.type === 'ask')) {
    yield explainHopLimit(run, context)
    return stopAtNode(cause)
  }
  switch (decision.type) {
    case 'take':
      if (isRepeatedRoute(run, decision.route, context))
        return yield* exitLoop(run, context, { ...cause, route: decision.route })
      yield explainDecision(context, decision.route, { rationale: decision.rationale })
      return followRoute(run, context, { route: decision.route, trigger })
    case 'stay':
      if (trigger === 'user' || trigger === 'worked')
        yield explainDecision(context, null, { rationale: decision.rationale })
      return stayAtNode(run, context, cause)
    case 'ask':
      return yield* decideByRouter(run, context, { ...cause, decision })
  }
}

/** Takes the edge that matches the result of the node's work. If no such edge exists, the other edges decide. */
export async function* decideByResult(
  run: FlowRun,
  context: NodeContext,
  { edge, reason, note }: Extract<FlowStep, { type: 'take-edge' }>,
): AsyncGenerator<DialogueEvent, FlowStep> {
  const cause = { trigger: 'worked', note } as const
  if (edge === undefined || !hasDestination(context, edge)) return yield* decideNextStep(run, context, cause)
  if (run.budget.isExhausted(false)) {
    yield explainHopLimit(run, context)
    return stopAtNode(cause)
  }
  const route = toEdgeRoute(edge, 'result')
  if (isRepeatedRoute(run, route, context)) return yield* exitLoop(run, context, { ...cause, route })
  yield explainDecision(context, route, { rationale: reason })
  return followRoute(run, context, { route, trigger: 'worked' })
}

function explainHopLimit({ budget }: FlowRun, { node, position }: NodeContext): DialogueEvent {
  return explain({ type: 'hop-limit', nodeId: node.id, path: position.path, hops: budget.hops })
}

/** Stops the chain of transitions at a node. A node that has just spoken waits for the user; any other node speaks. */
function stopAtNode({ trigger, note }: DecisionCause): FlowStep {
  return trigger === 'spoken' ? COMPLETED : { type: 'speak', note }
}

/** Leaves a loop through the else edge, or stops if the else edge repeats the loop. */
async function* exitLoop(
  run: FlowRun,
  context: NodeContext,
  cause: DecisionCause & { readonly route: Route },
): AsyncGenerator<DialogueEvent, FlowStep> {
  yield explainLoop(context, cause.route)
  const edge = findElseEdge(context.node)
  if (cause.trigger === 'spoken' || edge === undefined || !hasDestination(context, edge)) return stopAtNode(cause)
  const elseRoute = toEdgeRoute(edge, 'else')
  if (isRepeatedRoute(run, elseRoute, context)) return stopAtNode(cause)
  yield explainDecision(context, elseRoute, { rationale: 'The other edge leads into a loop.' })
  return followRoute(run, context, { route: elseRoute, trigger: cause.trigger })
}

/** Whether an edge leads to a node or out of a component. */
function hasDestination(
  { position, graph }: NodeContext,
  { destination_node_id: id }: Pick<FixedFlowEdge, 'destination_node_id'>,
) {
  return id === undefined ? position.path.length > 0 : findNode(graph, id) !== null
}

function decideByRules(run: FlowRun, context: NodeContext, trigger: DecisionTrigger): Decision {
  const { turn, engine } = run
  const { position, node } = context
  return decideTransition({
    node,
    trigger,
    lookup: turn.lookup,
    hasDestination: (edge) => hasDestination(context, edge),
    origin: getOrigin(run, position),
    // Global nodes are offered only once per turn.
    globals: run.hasAskedRouter ? [] : findEnterableGlobals(engine, position),
  })
}

function findEnterableGlobals(engine: FlowRun['engine'], position: FlowPosition) {
  const globalNodes = listGlobalNodes(engine, position)
  return globalNodes.filter(({ place, setting }) => hasCooledDown(position, place, setting.cool_down))
}

function getOrigin({ engine }: FlowRun, position: FlowPosition): FlowPlace | null {
  const origin = position.origins.at(-1)
  return origin !== undefined && isAtGlobalNode(position) && findNodeAt(engine, origin) !== null ? origin : null
}

/** Returns the choices for global nodes and go-back conditions, which stay available while an approval is pending. */
function listGlobalAndBackChoices(run: FlowRun, context: NodeContext): readonly Choice[] {
  const { global_node_setting, id, type } = context.node
  const nodeWithoutEdges = { id, type, ...(global_node_setting && { global_node_setting }) }
  const decision = decideByRules(run, { ...context, node: nodeWithoutEdges }, 'user')
  return decision.type === 'ask' ? decision.choices : []
}

type RouterCause = DecisionCause & { readonly decision: Extract<Decision, { type: 'ask' }> }

async function* decideByRouter(
  run: FlowRun,
  context: NodeContext,
  cause: RouterCause,
): AsyncGenerator<DialogueEvent, FlowStep> {
  const { choices, elseRoute } = cause.decision
  run.hasAskedRouter = true
  const question = {
    choices,
    fallbackKey: elseRoute === null ? 'stay' : 'else',
    fallbackDestination: elseRoute?.destination ?? null,
    variables: collectDestinationVariables(context, [...choices.map(({ route }) => route), elseRoute]),
    note: cause.note,
  } as const
  const { answer, requestedCall } = yield* askRouter(run, context.node, question)
  if (requestedCall.cancelled) return CANCELLED
  const selectedRoute = answer.choice?.route ?? elseRoute
  const route = selectedRoute?.type === 'agreement' ? elseRoute : selectedRoute
  yield explainDecision(context, route, { rationale: answer.rationale, requestedCall })
  if (route === null) return stayAtNode(run, context, cause)
  return followRoute(run, context, { route, trigger: cause.trigger, routerArgs: answer.args })
}

/** Returns the variables that destination nodes extract, so that the router can return them with its choice. */
function collectDestinationVariables(
  { graph }: NodeContext,
  routes: readonly (Choice['route'] | null)[],
): readonly ExtractedVariable[] {
  const variablesByName = new Map<string, ExtractedVariable>()
  for (const route of routes) {
    const destinationNode =
      route?.type === 'edge' && route.destination !== null ? findNode(graph, route.destination) : null
    for (const variable of destinationNode === null ? [] : getNodeVariables(destinationNode)) {
      if (!variablesByName.has(variable.name)) variablesByName.set(variable.name, variable)
    }
  }
  return [...variablesByName.values()]
}

/** Stays at a node. The node runs or speaks unless it has just spoken. */
function stayAtNode(run: FlowRun, { node, position }: NodeContext, { trigger, note }: DecisionCause): FlowStep {
  if (trigger === 'spoken') return COMPLETED
  if (trigger === 'entered')
    return { type: 'work', priorMessages: getPriorMessages(run, position), approvedArguments: null }
  // If an ended conversation continues, it ends again.
  return node.type === 'end' ? WORK : { type: 'speak', note }
}
