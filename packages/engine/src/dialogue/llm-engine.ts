import type { ModelToolCall } from '../ports.ts'
import type { DialogueEvent, ToolCall } from './conversation.ts'
import {
  ANSWER,
  decideAfterStep,
  isToolLimitReached,
  lastRecordedStep,
  measureTurn,
  type NextStep,
} from './decide-after-step.ts'
import { type Generation, streamWithFallback } from './models/model-stream.ts'
import { executionLine } from './tools/executable-tools.ts'
import { planToolCall, type ToolCallPlan } from './tools/plan-tool-call.ts'
import { runTools } from './tools/run-tools.ts'
import type { Turn } from './turn.ts'

/** Said when the model has nothing to say, twice, and the agent has no fallback message. */
export const BLANK_ANSWER_LINE = 'Sorry, I did not catch that. Could you say it again?'

/** Said when the model ends a conversation without a word and finds none when asked for one. */
const CLOSING_LINE = 'Goodbye.'

/** One turn of the engine with one prompt: generate, run the tools it asks for, generate again, until there is an answer. */
export async function* runLlmTurn(turn: Turn): AsyncGenerator<DialogueEvent> {
  let next: NextStep | null = firstStep(turn)
  while (next !== null && !turn.signal.aborted) {
    switch (next.type) {
      case 'generate':
        next = yield* generate(turn, next)
        break
      case 'run-tools':
        next = yield* runStep(turn, next)
        break
      case 'finish':
        if (next.end) yield { type: 'action', action: { type: 'end', reason: 'agent_ended' } }
        if (!turn.signal.aborted) yield { type: 'turn-end', outcome: 'completed', state: turn.state() }
        return
    }
  }
}

/** A turn that goes on after a crash or a failure takes up what its history ends in. */
function firstStep(turn: Turn): NextStep {
  if (!turn.resumed) return ANSWER
  const { history } = turn.conversation
  const progress = measureTurn(history)
  turn.spoken = progress.spoken
  turn.toolSteps = progress.toolSteps
  const step = lastRecordedStep(history)
  if (step !== null) return { type: 'run-tools', calls: step.calls, answered: step.answered }
  if (history.at(-1)?.role !== 'assistant') return ANSWER
  const end = turn.tools.some((tool) => tool.type === 'end_call' && progress.calledNames.has(tool.name))
  return { type: 'finish', end }
}

type GenerateStep = Extract<NextStep, { type: 'generate' }>

async function* generate(turn: Turn, step: GenerateStep): AsyncGenerator<DialogueEvent, NextStep | null> {
  const { resolveModel, clock, deadlines, makeId } = turn.dependencies
  const generation = yield* streamWithFallback({
    modelNames: turn.modelNames,
    startAt: turn.candidate,
    resolveModel,
    clock,
    deadlines,
    signal: turn.signal,
    // "We have a problem, ask again" would be the wrong last word.
    fallbackMessage: step.closing ? null : turn.fallbackMessage,
    blankLine: step.closing ? CLOSING_LINE : BLANK_ANSWER_LINE,
    buildRequest: (model) => turn.buildRequest(model, step.toolChoice),
  })
  const trimmed = turn.takeTrimExplanation()
  if (trimmed !== null) yield { type: 'explanation', explanation: trimmed }
  if (generation.type !== 'answer' || turn.signal.aborted) return yield* breakOff(turn, step, generation)
  turn.candidate = generation.candidate
  const toolCalls = generation.toolCalls.map((call: ModelToolCall): ToolCall => {
    return { id: makeId('tool_call'), name: call.name, argumentsText: call.argumentsText }
  })
  if (toolCalls.length === 0) {
    yield* endMessage(turn, generation.text, [])
    return { type: 'finish', end: step.closing }
  }
  const line = generation.text === '' ? lineOf(turn, toolCalls) : ''
  if (line !== '') yield { type: 'text-delta', text: line }
  if (turn.signal.aborted) return yield* breakOff(turn, step, { type: 'cancelled', text: line })
  yield* endMessage(turn, generation.text + line, toolCalls)
  turn.toolSteps += 1
  return { type: 'run-tools', calls: toolCalls, answered: null }
}

async function* endMessage(turn: Turn, content: string, toolCalls: readonly ToolCall[]): AsyncGenerator<DialogueEvent> {
  turn.add({ role: 'assistant', content, toolCalls })
  if (content !== '') turn.spoken = true
  yield { type: 'message-end', content, toolCalls, incomplete: false }
}

/** Closes the message of a generation that failed or was cancelled, and the turn with it. */
async function* breakOff(
  turn: Turn,
  step: GenerateStep,
  generation: Generation,
): AsyncGenerator<DialogueEvent, NextStep | null> {
  const text = generation.type === 'failed' ? '' : generation.text
  if (text !== '') yield { type: 'message-end', content: text, toolCalls: [], incomplete: true }
  if (turn.signal.aborted || generation.type === 'cancelled' || generation.type === 'answer') return null
  // The conversation was to end anyway; that its last words failed must not keep it open.
  if (step.closing) return { type: 'finish', end: true }
  yield { type: 'turn-end', outcome: 'failed', state: turn.state(), failure: generation.failure }
  return null
}

/** The line that the first of the called tools says while it runs. */
function lineOf(turn: Turn, toolCalls: readonly ToolCall[]): string {
  for (const call of toolCalls) {
    const tool = turn.tools.find((candidate) => candidate.name === call.name)
    const line = tool === undefined ? null : executionLine(tool, turn.lookup)
    if (line !== null) return line
  }
  return ''
}

type ToolStep = Extract<NextStep, { type: 'run-tools' }>

async function* runStep(turn: Turn, step: ToolStep): AsyncGenerator<DialogueEvent, NextStep | null> {
  const waiting = step.calls.filter((call) => step.answered?.has(call.id) !== true)
  const plans = waiting.map((call) => planToolCall(call, turn.tools, step.answered !== null))
  const { lookup, signal } = turn
  const { toolContext } = turn.conversation
  let failed = false
  for await (const { plan, result } of runTools(plans, {
    httpTools: turn.dependencies.httpTools,
    lookup,
    toolContext,
    signal,
  })) {
    const { id: toolCallId, name } = plan.call
    const { content, fullContent, ok, durationMs, variables } = result
    failed ||= !ok
    turn.add({ role: 'tool', toolCallId, name, content })
    // First what was learned: whoever stores the result stores both, and neither is lost without the other.
    if (Object.keys(variables).length > 0) {
      turn.collect(variables)
      yield { type: 'variables-collected', variables }
    }
    yield { type: 'tool-result', toolCallId, name, content, fullContent, ok, durationMs }
  }
  if (signal.aborted) return null
  return yield* closeStep(turn, step, { plans, failed })
}

async function* closeStep(
  turn: Turn,
  step: ToolStep,
  results: { readonly plans: readonly ToolCallPlan[]; readonly failed: boolean },
): AsyncGenerator<DialogueEvent, NextStep> {
  if (results.plans.some((plan) => plan.type === 'answer' && plan.invalid)) turn.invalidSteps += 1
  const tools = step.calls.map((call) => turn.tools.find((tool) => tool.name === call.name))
  const { spoken, toolSteps, invalidSteps } = turn
  const next = decideAfterStep({
    endRequested: tools.some((tool) => tool?.type === 'end_call'),
    silent: !results.failed && tools.every((tool) => tool?.type === 'custom' && tool.speak_after_execution === false),
    spoken,
    toolSteps,
    invalidSteps,
  })
  if (next.type === 'generate' && !next.closing && isToolLimitReached(turn)) {
    yield { type: 'explanation', explanation: { type: 'tool-limit', steps: toolSteps } }
  }
  return next
}
