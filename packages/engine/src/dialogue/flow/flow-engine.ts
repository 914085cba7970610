import type { DialogueEvent, FlowEngine, FlowPosition, HistoryMessage } from '../conversation.ts'
import { explain } from '../explanation.ts'
import { endsWithAnswer, measureTurn } from '../llm/decide-after-step.ts'
import type { EngineEnd, Turn } from '../turn.ts'
import { decideByResult, decideNextStep } from './decide-next-step.ts'
import { findNodeAt, isSilent, toTransitionEnd } from './flow-graph.ts'
import { enterPlace, markListening } from './flow-position.ts'
import {
  countOmittedMessages,
  createFlowRun,
  type FlowRun,
  getCurrentNodeContext,
  getPriorMessages,
  type NodeContext,
  wasHandedOver,
} from './flow-run.ts'
import { COMPLETED, type FlowStep, type NodeEnd, WORK } from './flow-step.ts'
import { runNode } from './run-node.ts'
import { speakByModel } from './run-speaking-node.ts'

/** Runs a turn of a flow: follows transitions from the user's message and runs each node that it enters. */
export async function* runFlowTurn(turn: Turn, engine: FlowEngine): AsyncGenerator<DialogueEvent, EngineEnd> {
  const run = createFlowRun(turn, engine)
  try {
    const end = yield* walkFlow(run)
    // A canceled turn also records finished calls.
    if (turn.signal.aborted) yield* run.background.emitFinished()
    if (end.type === 'stopped' || turn.signal.aborted) return { type: 'stopped' }
    yield* run.background.drain()
    if (turn.signal.aborted) return { type: 'stopped' }
    if (turn.flow !== null) turn.flow = markListening(turn.flow)
    return end
  } finally {
    run.background.stop()
  }
}

async function* walkFlow(run: FlowRun): AsyncGenerator<DialogueEvent, EngineEnd> {
  const { turn } = run
  let step = yield* decideFirstStep(run)
  while (step.type !== 'done' && !turn.signal.aborted) {
    yield* run.background.emitFinished()
    if (step.type === 'go') {
      step = yield* goToPlace(run, step)
      continue
    }
    const context = getCurrentNodeContext(run)
    step = context === null ? COMPLETED : yield* takeStep(run, context, step)
  }
  return step.type === 'done' && !turn.signal.aborted ? step.end : { type: 'stopped' }
}

type StepAtNode = Exclude<FlowStep, { type: 'go' | 'done' }>

async function* takeStep(
  run: FlowRun,
  context: NodeContext,
  step: StepAtNode,
): AsyncGenerator<DialogueEvent, FlowStep> {
  switch (step.type) {
    case 'work':
      return toNextStep(context, yield* runNode(run, context, step))
    case 'decide':
      return yield* decideNextStep(run, context, step)
    case 'take-edge':
      return yield* decideByResult(run, context, step)
    case 'speak': {
      const end = yield* speakByModel(run, context, { note: step.note })
      return end.type === 'engine-end' ? { type: 'done', end: end.end } : COMPLETED
    }
  }
}

function toNextStep({ node }: NodeContext, end: NodeEnd): FlowStep {
  switch (end.type) {
    case 'spoken':
      return node.skip_response_edge === undefined ? COMPLETED : { type: 'decide', trigger: 'spoken', note: null }
    case 'worked':
      return { type: 'decide', trigger: 'worked', note: end.note }
    case 'take-edge':
      return end
    case 'speak':
      return { type: 'speak', note: end.note }
    case 'component':
      return { type: 'go', place: end.place, transitionType: 'normal', isReturning: false }
    case 'engine-end':
      return { type: 'done', end: end.end }
  }
}

async function* goToPlace(
  run: FlowRun,
  step: Extract<FlowStep, { type: 'go' }>,
): AsyncGenerator<DialogueEvent, FlowStep> {
  const { turn, engine } = run
  const node = findNodeAt(engine, step.place)
  if (node === null) return COMPLETED
  if (!step.isReturning) run.budget.recordEntry(step.place)
  const from = getCurrentNodeContext(run)
  const newPosition = enterPlace(from?.position ?? null, step.place, {
    transitionType: step.transitionType,
    messageCount: countOmittedMessages(turn) + turn.messages.length,
  })
  turn.flow = step.isReturning ? markListening(newPosition) : newPosition
  yield {
    type: 'node-transition',
    from: from === null ? null : toTransitionEnd(from.node, from.position),
    to: toTransitionEnd(node, step.place),
    transitionType: step.transitionType,
    state: turn.getState(),
  }
  return step.isReturning ? { type: 'decide', trigger: 'worked', note: null } : WORK
}

/** Returns the first step of the turn. */
async function* decideFirstStep(run: FlowRun): AsyncGenerator<DialogueEvent, FlowStep> {
  const { turn, engine } = run
  const isSameAgent = !wasHandedOver(run)
  if (turn.resumed && isSameAgent) restoreProgress(run)
  const isAnswered = turn.resumed && isSameAgent && endsWithAnswer(turn.conversation.history)
  const context = getCurrentNodeContext(run)
  if (context === null) {
    if (turn.flow !== null) yield explainUnknownPlace(turn.flow)
    else if (isAnswered) return COMPLETED
    turn.flow = null
    const place = { nodeId: engine.startNodeId, path: [] }
    return { type: 'go', place, transitionType: 'normal', isReturning: false }
  }
  const { position } = context
  // Without user input there is nothing to decide, so the current node speaks again.
  if (turn.unprompted !== null && (position.phase === 'listening' || !isSilent(context.node)))
    return { type: 'speak', note: null }
  if (position.phase === 'listening') return isAnswered ? COMPLETED : { type: 'decide', trigger: 'user', note: null }
  // An interrupted turn has already asked its router, unless it was at the first node.
  run.hasAskedRouter = turn.resumed && position.transitions > 1
  const priorMessages = getPriorMessages(run, position)
  const hasSpoken = priorMessages.some(({ role, content }) => role === 'assistant' && content !== '')
  if (
    isAnswered &&
    isSilent(context.node) &&
    priorMessages.length > 0 &&
    !isExecutionMessageOnly(context, priorMessages)
  )
    return COMPLETED
  // A branch node does no work.
  if (context.node.type !== 'branch' && hasUnansweredInput(run, position)) {
    return { type: 'decide', trigger: hasSpoken && !isSilent(context.node) ? 'user' : 'entered', note: null }
  }
  return { type: 'work', priorMessages, approvedArguments: null }
}

/** Whether the user has spoken since the flow entered the node. */
function hasUnansweredInput({ turn }: FlowRun, { messagesBefore }: FlowPosition): boolean {
  if (turn.resumed || turn.unprompted !== null || messagesBefore === undefined) return false
  return messagesBefore <= countOmittedMessages(turn) + turn.conversation.history.length
}

/** Whether the node has said only its execution message. */
function isExecutionMessageOnly({ node }: NodeContext, priorMessages: readonly HistoryMessage[]): boolean {
  return node.speak_during_execution === true && !priorMessages.some(({ role }) => role === 'tool')
}

function restoreProgress({ turn }: FlowRun): void {
  const { hasSpoken, toolSteps } = measureTurn(turn.conversation.history)
  turn.hasSpoken = hasSpoken
  turn.toolSteps = toolSteps
}

function explainUnknownPlace({ nodeId }: FlowPosition): DialogueEvent {
  const reason = 'the flow has no such node, so the conversation starts at the first node.'
  return explain({ type: 'skipped', what: `node "${nodeId}"`, reason })
}
