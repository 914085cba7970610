import type { CustomLlmEvent, CustomLlmRequest, JsonObject, ModelFailure } from '../../ports.ts'
import type { CustomLlmEngine, DialogueEvent, HistoryMessage } from '../conversation.ts'
import { BLANK_ANSWER_MESSAGE, endMessage } from '../llm/converse.ts'
import {
  type AttemptFailure,
  type AttemptState,
  decideNextAttempt,
  firstAttempt,
} from '../models/decide-next-attempt.ts'
import { historyBudgetCharacters, trimHistory } from '../models/trim-history.ts'
import { pause } from '../models/wait.ts'
import type { EngineEnd, Turn } from '../turn.ts'
import { SpokenMessage } from './spoken-message.ts'

/** Stands where the name of a model would be told: whatever answers there has no name here. */
const MODEL_NAME = 'custom-llm'

const REQUEST_TYPES = { asked: 'answer', told: 'answer', opening: 'opening', reminder: 'reminder' } as const

const STOPPED: EngineEnd = { type: 'over' }
const COMPLETED: EngineEnd = { type: 'completed' }
const ENDED: EngineEnd = { type: 'ended' }

const ENDED_EARLY: ModelFailure = { kind: 'protocol', message: 'The answer ended without an end.', retryable: true }
const CLIENT_FAILED: ModelFailure = { kind: 'protocol', message: 'The client of the server failed.', retryable: false }

/** What one request came to. `spoke`, `acted`: text was streamed, tools of the server are on record. */
interface Attempt {
  readonly end: Extract<CustomLlmEvent, { type: 'complete' | 'failed' }>
  readonly spoke: boolean
  readonly hasCalledTools: boolean
}

/**
 * One turn that a server of the customer answers: its text is streamed, the tools that it called are put on record. An answer
 * without words is asked for once more, as is one that failed before its first word; then the agent's fallback message is said.
 */
export async function* runCustomLlmTurn(turn: Turn, engine: CustomLlmEngine): AsyncGenerator<DialogueEvent, EngineEnd> {
  if (turn.resumed && isAnswer(turn.messages.at(-1))) return COMPLETED
  let state = firstAttempt(0)
  while (!turn.signal.aborted) {
    const attempt = yield* streamAttempt(turn, engine)
    if (attempt === null || turn.signal.aborted) return STOPPED
    const { end } = attempt
    const canBeBlank = turn.unprompted === 'opening'
    if (end.type === 'complete' && (attempt.spoke || end.endCall || canBeBlank)) return end.endCall ? ENDED : COMPLETED
    if (end.type === 'failed' && attempt.spoke) return yield* fail(turn, end.failure)
    // A server that has called tools would call them again.
    if (attempt.hasCalledTools) state = { ...state, retried: true, isReasked: true }
    const next = yield* continueAfterAttempt(turn, state, end.type === 'failed' ? end : { type: 'blank' })
    if ('type' in next) return next
    state = next
  }
  return STOPPED
}

/** Whether a history ends in an answer: the turn that is taken up only missed its end. */
function isAnswer(last: HistoryMessage | undefined): boolean {
  return last?.role === 'assistant' && last.toolCalls.length === 0
}

/** After an attempt without words: another one, a line in its place, or failure. */
async function* continueAfterAttempt(
  turn: Turn,
  state: AttemptState,
  result: Exclude<AttemptFailure, { type: 'not-configured' }>,
): AsyncGenerator<DialogueEvent, AttemptState | EngineEnd> {
  const { fallbackMessage, signal } = turn
  const next = decideNextAttempt(state, result, {
    candidates: 1,
    fallbackMessage,
    blankAnswerMessage: BLANK_ANSWER_MESSAGE,
  })
  if (result.type === 'blank') yield { type: 'explanation', explanation: { type: 'blank-answer', model: MODEL_NAME } }
  switch (next.type) {
    case 'retry':
      if (result.type === 'failed') {
        const { failure } = result
        yield { type: 'explanation', explanation: { type: 'model-retry', model: MODEL_NAME, failure } }
      }
      await pause(turn.dependencies.clock, next.waitMs, signal)
      return next.state
    case 'say':
      yield { type: 'explanation', explanation: { type: 'fallback-message', failure: next.failure } }
      return yield* say(turn, next.text)
    case 'fail':
      return yield* fail(turn, next.failure)
    case 'fallback':
      // There is one candidate: fallback models have no prompt to answer from.
      return next.state
  }
}

async function* say(turn: Turn, text: string): AsyncGenerator<DialogueEvent, EngineEnd> {
  if (turn.signal.aborted) return STOPPED
  yield { type: 'text-delta', text }
  if (turn.signal.aborted) {
    yield { type: 'message-end', content: text, toolCalls: [], incomplete: true }
    return STOPPED
  }
  yield* endMessage(turn, text, [])
  return COMPLETED
}

async function* fail(turn: Turn, failure: ModelFailure): AsyncGenerator<DialogueEvent, EngineEnd> {
  yield { type: 'turn-end', outcome: 'failed', state: turn.state(), failure }
  return STOPPED
}

/** Asks once and streams what comes; `null` when it was cancelled. */
async function* streamAttempt(turn: Turn, engine: CustomLlmEngine): AsyncGenerator<DialogueEvent, Attempt | null> {
  const { signal } = turn
  const { request, droppedTurns } = requestOf(turn, engine)
  if (droppedTurns > 0) yield { type: 'explanation', explanation: { type: 'history-trimmed', droppedTurns } }
  const message = new SpokenMessage(turn)
  let end: Attempt['end'] = { type: 'failed', failure: ENDED_EARLY }
  for await (const event of guard(turn, request)) {
    if (signal.aborted) break
    if (event.type === 'complete' || event.type === 'failed') {
      end = event
      break
    }
    yield* message.take(event)
    if (signal.aborted) break
  }
  if (signal.aborted || (end.type === 'failed' && message.hasText)) yield* message.breakOff()
  else yield* message.close()
  if (signal.aborted) return null
  return { end, spoke: message.hasSpoken, hasCalledTools: message.hasActed }
}

/** The events of the answer; what a client throws becomes a failure, because a turn never throws. */
async function* guard(turn: Turn, request: CustomLlmRequest): AsyncGenerator<CustomLlmEvent> {
  try {
    yield* turn.dependencies.customLlm.respond(request)
  } catch {
    yield { type: 'failed', failure: CLIENT_FAILED }
  }
}

function requestOf(turn: Turn, { url }: CustomLlmEngine): { request: CustomLlmRequest; droppedTurns: number } {
  const { conversation, dependencies, signal } = turn
  const spoken = turn.messages.filter(
    ({ role, content }) => role !== 'tool' && role !== 'system' && content.trim() !== '',
  )
  // The server's own model trims for itself; this only bounds what is sent at every turn of a long conversation.
  const { messages, droppedTurns } = trimHistory(spoken, historyBudgetCharacters(undefined, 0))
  const request = {
    conversationId: conversation.conversationId,
    url,
    ask: REQUEST_TYPES[turn.unprompted ?? 'asked'],
    transcript: messages.map(({ role, content }) => ({
      role: role === 'assistant' ? ('agent' as const) : ('user' as const),
      content,
    })),
    conversation: { ...detailsOf(conversation.toolContext), dynamic_variables: turn.toolEnvironment.variables },
    deadlines: dependencies.deadlines,
    signal,
  }
  return { request, droppedTurns }
}

/** What tools are told of the conversation under `chat` or `call`. */
function detailsOf(toolContext: JsonObject): JsonObject {
  const details = toolContext.chat ?? toolContext.call
  return typeof details === 'object' && details !== null && !Array.isArray(details)
    ? (details as JsonObject)
    : toolContext
}
