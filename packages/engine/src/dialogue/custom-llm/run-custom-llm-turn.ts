import type { CustomLlmEvent, CustomLlmRequest, JsonObject, ModelFailure } from '../../ports.ts'
import type { CustomLlmEngine, DialogueEvent } from '../conversation.ts'
import { explain } from '../explanation.ts'
import { isJsonObject } from '../json.ts'
import { BLANK_ANSWER_MESSAGE, say } from '../llm/converse.ts'
import { endsWithAnswer } from '../llm/decide-after-step.ts'
import {
  type AttemptFailure,
  type AttemptState,
  createAttemptState,
  decideNextAttempt,
} from '../models/decide-next-attempt.ts'
import { computeHistoryBudget, trimHistory } from '../models/trim-history.ts'
import { pause } from '../models/wait.ts'
import type { EngineEnd, Turn } from '../turn.ts'
import { CustomLlmMessage } from './custom-llm-message.ts'

/** Model name in events, because the server's model is unknown. */
const MODEL_NAME = 'custom-llm'

const REQUEST_TYPES = { prompted: 'answer', update: 'answer', opening: 'opening', reminder: 'reminder' } as const

const STOPPED: EngineEnd = { type: 'stopped' }
const COMPLETED: EngineEnd = { type: 'completed' }
const ENDED: EngineEnd = { type: 'ended' }

const ENDED_EARLY: ModelFailure = {
  kind: 'protocol',
  message: 'The stream ended without an end event.',
  retryable: true,
}
const CLIENT_FAILED: ModelFailure = { kind: 'protocol', message: 'The custom LLM client failed.', retryable: false }

/** The outcome of one request. */
interface Attempt {
  readonly end: Extract<CustomLlmEvent, { type: 'complete' | 'failed' }>
  readonly hasSpoken: boolean
  readonly hasCalledTools: boolean
}

/**
 * Runs a turn that the customer's server answers, streaming its text and recording its tool calls. After a blank answer or a
 * failure before the first word, it retries once and then says the fallback message.
 */
export async function* runCustomLlmTurn(turn: Turn, engine: CustomLlmEngine): AsyncGenerator<DialogueEvent, EngineEnd> {
  if (turn.resumed && endsWithAnswer(turn.messages)) return COMPLETED
  let state = createAttemptState(0)
  while (!turn.signal.aborted) {
    const attempt = yield* streamAttempt(turn, engine)
    if (attempt === null || turn.signal.aborted) return STOPPED
    const { end } = attempt
    const canBeBlank = turn.unprompted === 'opening'
    if (end.type === 'complete' && (attempt.hasSpoken || end.endCall || canBeBlank))
      return end.endCall ? ENDED : COMPLETED
    if (end.type === 'failed' && attempt.hasSpoken) return yield* endFailedTurn(turn, end.failure)
    // A retry would call the server's tools twice.
    if (attempt.hasCalledTools) state = { ...state, hasRetried: true, hasRetriedBlank: true }
    const next = yield* continueAfterAttempt(turn, state, end.type === 'failed' ? end : { type: 'blank' })
    if ('type' in next) return next
    state = next
  }
  return STOPPED
}

/** Continues after an attempt without text: retries, says the fallback message, or ends the turn as failed. */
async function* continueAfterAttempt(
  turn: Turn,
  state: AttemptState,
  result: Exclude<AttemptFailure, { type: 'not-configured' }>,
): AsyncGenerator<DialogueEvent, AttemptState | EngineEnd> {
  const { fallbackMessage, signal } = turn
  const next = decideNextAttempt(state, result, {
    modelCount: 1,
    fallbackMessage,
    blankAnswerMessage: BLANK_ANSWER_MESSAGE,
  })
  if (result.type === 'blank') yield explain({ type: 'blank-answer', model: MODEL_NAME })
  switch (next.type) {
    case 'retry':
      if (result.type === 'failed') {
        yield explain({ type: 'model-retry', model: MODEL_NAME, failure: result.failure })
      }
      await pause(turn.dependencies.clock, next.waitMs, signal)
      return next.state
    case 'say':
      yield explain({ type: 'fallback-message', failure: next.failure })
      return (yield* say(turn, next.text)) ? COMPLETED : STOPPED
    case 'fail':
      return yield* endFailedTurn(turn, next.failure)
    case 'fallback':
      // Unreachable, because the customer's server is the only candidate.
      return next.state
  }
}

async function* endFailedTurn(turn: Turn, failure: ModelFailure): AsyncGenerator<DialogueEvent, EngineEnd> {
  yield { type: 'turn-end', outcome: 'failed', state: turn.getState(), failure }
  return STOPPED
}

/** Streams one attempt and returns its outcome, or `null` if the turn was canceled. */
async function* streamAttempt(turn: Turn, engine: CustomLlmEngine): AsyncGenerator<DialogueEvent, Attempt | null> {
  const { signal } = turn
  const { request, droppedTurns } = buildCustomLlmRequest(turn, engine)
  if (droppedTurns > 0) yield explain({ type: 'history-trimmed', droppedTurns })
  const message = new CustomLlmMessage(turn)
  let end: Attempt['end'] = { type: 'failed', failure: ENDED_EARLY }
  for await (const event of catchFailures(turn, request)) {
    if (signal.aborted) break
    if (event.type === 'complete' || event.type === 'failed') {
      end = event
      break
    }
    yield* message.handleEvent(event)
    if (signal.aborted) break
  }
  if (signal.aborted || (end.type === 'failed' && message.hasText)) yield* message.interrupt()
  else yield* message.close()
  if (signal.aborted) return null
  return { end, hasSpoken: message.hasSpoken, hasCalledTools: message.hasCalledTools }
}

/** Converts the client's exceptions into failures, because a turn never throws. */
async function* catchFailures(turn: Turn, request: CustomLlmRequest): AsyncGenerator<CustomLlmEvent> {
  try {
    yield* turn.dependencies.customLlm.respond(request)
  } catch {
    yield { type: 'failed', failure: CLIENT_FAILED }
  }
}

function buildCustomLlmRequest(
  turn: Turn,
  { url }: CustomLlmEngine,
): { request: CustomLlmRequest; droppedTurns: number } {
  const { conversation, dependencies, signal } = turn
  const spokenMessages = turn.messages.filter(
    ({ role, content }) => role !== 'tool' && role !== 'system' && content.trim() !== '',
  )
  // The server trims the history for its own model; this limit only bounds the request size.
  const { messages, droppedTurns } = trimHistory(spokenMessages, computeHistoryBudget(undefined, 0))
  const request = {
    conversationId: conversation.conversationId,
    url,
    requestType: REQUEST_TYPES[turn.unprompted ?? 'prompted'],
    transcript: messages.map(({ role, content }) => ({
      role: role === 'assistant' ? ('agent' as const) : ('user' as const),
      content,
    })),
    conversation: {
      ...getConversationDetails(conversation.toolContext),
      dynamic_variables: turn.toolEnvironment.variables,
    },
    deadlines: dependencies.deadlines,
    signal,
  }
  return { request, droppedTurns }
}

/** Returns the details inside `chat` or `call`. */
function getConversationDetails(toolContext: JsonObject): JsonObject {
  const details = toolContext.chat ?? toolContext.call
  return isJsonObject(details) ? details : toolContext
}
