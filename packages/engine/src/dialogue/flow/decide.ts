import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import { elseEdgeOf } from '@parley/contract/flow-node'
import type { ExtractedVariable } from '@parley/contract/tools'
import type { DialogueEvent, FlowPlace, FlowPosition } from '../conversation.ts'
import { decideAgreement, pendingAgreement } from './decide-agreement.ts'
import {
  type Choice,
  type Decision,
  decideTransition,
  isByUser,
  type Moment,
  type Way,
  wayOf,
} from './decide-transition.ts'
import { globalNodesAround, nodeAt, nodeIn } from './flow-graph.ts'
import { hasCooledDown, isAtGlobal } from './flow-position.ts'
import { doneBefore, type FlowRun, type Stand } from './flow-run.ts'
import { CANCELLED, COMPLETED, type FlowStep, WORK } from './flow-step.ts'
import { modelOf } from './node-scene.ts'
import { askRouter } from './router.ts'
import { variablesOf } from './run-extraction-node.ts'
import { explain, explainLoop, follow, leadsInCircle } from './take-way.ts'

/** What a decision is made about. */
interface DecisionCase {
  readonly moment: Moment
  /** What happened at the node and the conversation does not show. */
  readonly note: string | null
}

/** Decides where the conversation goes from a node, asks a model when the rules alone do not say it, and tells why. */
export async function* decide(run: FlowRun, stand: Stand, due: DecisionCase): AsyncGenerator<DialogueEvent, FlowStep> {
  const { moment } = due
  const approval = moment === 'user' ? pendingAgreement(run, stand) : null
  if (approval !== null) return yield* decideAgreement(run, stand, { approval, elsewhere: elsewhereFrom(run, stand) })
  const decision = rulesOnly(run, stand, moment)
  if (!isByUser(moment) && decision.type !== 'stay' && run.budget.isSpent(decision.type === 'ask')) {
    yield hopLimit(run, stand)
    return stopAt(due)
  }
  switch (decision.type) {
    case 'take':
      if (leadsInCircle(run, decision.way, stand)) return yield* leaveLoop(run, stand, { ...due, way: decision.way })
      yield explain(stand, decision.way, { rationale: decision.rationale })
      return follow(run, stand, { way: decision.way, moment })
    case 'stay':
      if (moment === 'user' || moment === 'worked') yield explain(stand, null, { rationale: decision.rationale })
      return stay(run, stand, due)
    case 'ask':
      return yield* ask(run, stand, { ...due, decision })
  }
}

/** Goes by the edge that the outcome of the node's work leads to; without one the others decide. */
export async function* decideByResult(
  run: FlowRun,
  stand: Stand,
  { edge, why, note }: Extract<FlowStep, { type: 'led' }>,
): AsyncGenerator<DialogueEvent, FlowStep> {
  const due = { moment: 'worked', note } as const
  if (edge === undefined || !isWay(stand, edge)) return yield* decide(run, stand, due)
  if (run.budget.isSpent(false)) {
    yield hopLimit(run, stand)
    return stopAt(due)
  }
  const way = wayOf(edge, 'result')
  if (leadsInCircle(run, way, stand)) return yield* leaveLoop(run, stand, { ...due, way })
  yield explain(stand, way, { rationale: why })
  return follow(run, stand, { way, moment: 'worked' })
}

function hopLimit({ budget }: FlowRun, { node, position }: Stand): DialogueEvent {
  const where = { nodeId: node.id, path: position.path }
  return { type: 'explanation', explanation: { type: 'hop-limit', ...where, hops: budget.hops } }
}

/** Stops a chain at a node: one that has just spoken waits for the user, any other speaks by its model. */
function stopAt({ moment, note }: DecisionCase): FlowStep {
  return moment === 'spoken' ? COMPLETED : { type: 'speak', note }
}

/** Leaves a loop by the else edge of the node, or stops there when that leads round as well. */
async function* leaveLoop(
  run: FlowRun,
  stand: Stand,
  due: DecisionCase & { readonly way: Way },
): AsyncGenerator<DialogueEvent, FlowStep> {
  yield explainLoop(stand, due.way)
  const edge = elseEdgeOf(stand.node)
  if (due.moment === 'spoken' || edge === undefined || !isWay(stand, edge)) return stopAt(due)
  const otherwise = wayOf(edge, 'else')
  if (leadsInCircle(run, otherwise, stand)) return stopAt(due)
  yield explain(stand, otherwise, { rationale: 'The other edge leads round in a loop.' })
  return follow(run, stand, { way: otherwise, moment: due.moment })
}

/** Whether an edge leads anywhere: to a node, or out of a component. */
function isWay({ position, graph }: Stand, { destination_node_id: id }: Pick<FixedFlowEdge, 'destination_node_id'>) {
  return id === undefined ? position.path.length > 0 : nodeIn(graph, id) !== null
}

function rulesOnly(run: FlowRun, stand: Stand, moment: Moment): Decision {
  const { turn, engine } = run
  const { position, node } = stand
  return decideTransition({
    node,
    moment,
    lookup: turn.lookup,
    isWay: (edge) => isWay(stand, edge),
    origin: originOf(run, position),
    // What the user said is put to the global nodes once a turn.
    globals: run.judged ? [] : coolGlobals(engine, position),
  })
}

function coolGlobals(engine: FlowRun['engine'], position: FlowPosition) {
  const around = globalNodesAround(engine, position)
  return around.filter(({ place, setting }) => hasCooledDown(position, place, setting.cool_down))
}

function originOf({ engine }: FlowRun, position: FlowPosition): FlowPlace | null {
  const origin = position.origins.at(-1)
  return origin !== undefined && isAtGlobal(position) && nodeAt(engine, origin) !== null ? origin : null
}

/** The ways that are open while a question to the user is pending: those that no edge of the node leads. */
function elsewhereFrom(run: FlowRun, stand: Stand): readonly Choice[] {
  const { global_node_setting, id, type } = stand.node
  const bare = { id, type, ...(global_node_setting && { global_node_setting }) }
  const decision = rulesOnly(run, { ...stand, node: bare }, 'user')
  return decision.type === 'ask' ? decision.choices : []
}

type AskCase = DecisionCase & { readonly decision: Extract<Decision, { type: 'ask' }> }

async function* ask(run: FlowRun, stand: Stand, due: AskCase): AsyncGenerator<DialogueEvent, FlowStep> {
  const { turn, engine } = run
  const { node } = stand
  const { choices, otherwise } = due.decision
  run.judged = true
  const question = {
    choices,
    otherwise: otherwise === null ? 'stay' : 'else',
    otherwiseDestination: otherwise?.destination ?? null,
    variables: variablesBehind(stand, [...choices.map(({ way }) => way), otherwise]),
    globalPrompt: engine.globalPrompt,
    node,
    note: due.note,
  } as const
  const settings = { model: modelOf(engine, node), temperature: engine.temperature }
  const { answer, asked } = yield* askRouter(turn, question, settings)
  if (asked.cancelled) return CANCELLED
  const chosen = answer.choice?.way ?? otherwise
  const way = chosen?.type === 'agreement' ? otherwise : chosen
  yield explain(stand, way, { rationale: answer.rationale, asked })
  if (way === null) return stay(run, stand, due)
  return follow(run, stand, { way, moment: due.moment, told: answer.args })
}

/** What the nodes that the ways lead to will want to know: a router can tell it with its choice. */
function variablesBehind({ graph }: Stand, ways: readonly (Choice['way'] | null)[]): readonly ExtractedVariable[] {
  const found = new Map<string, ExtractedVariable>()
  for (const way of ways) {
    const target = way?.type === 'edge' && way.destination !== null ? nodeIn(graph, way.destination) : null
    for (const variable of target === null ? [] : variablesOf(target)) {
      if (!found.has(variable.name)) found.set(variable.name, variable)
    }
  }
  return [...found.values()]
}

/** Stays at a node, which then does its part unless it just has. */
function stay(run: FlowRun, { node, position }: Stand, { moment, note }: DecisionCase): FlowStep {
  if (moment === 'spoken') return COMPLETED
  if (moment === 'entered') return { type: 'work', before: doneBefore(run, position), agreedArguments: null }
  // A conversation that goes on behind its end is ended again.
  return node.type === 'end' ? WORK : { type: 'speak', note }
}
