import type { Clock, LanguageModel, ModelFailure, ModelRequest, ModelToolCall, ResolveModel } from '../../ports.ts'
import type { DialogueEvent, ModelDeadlines } from '../conversation.ts'
import { explain } from '../explanation.ts'
import {
  type AttemptFailure,
  type AttemptState,
  createAttemptState,
  decideNextAttempt,
  type NextAttempt,
} from './decide-next-attempt.ts'
import { ModelReader } from './model-reader.ts'
import { pause } from './wait.ts'

/** Options for one generation. Models are tried in order, from `startIndex`. */
export interface GenerationOptions {
  readonly modelNames: readonly string[]
  readonly startIndex: number
  readonly resolveModel: ResolveModel
  readonly clock: Clock
  readonly deadlines: ModelDeadlines
  readonly signal: AbortSignal
  /** Message if no model answers, or `null` to let the generation fail. */
  readonly fallbackMessage: string | null
  /** Message after two blank answers if there is no fallback message. */
  readonly blankAnswerMessage: string
  /** Builds the request for a model, because context windows differ. */
  readonly buildRequest: (model: LanguageModel) => Omit<ModelRequest, 'signal'>
}

/**
 * The outcome of a generation. `text` is the streamed text, and `modelIndex` the index of the answering model. `broken`: the
 * stream failed after its first token. `failed`: it failed before the first token.
 */
export type Generation =
  | {
      readonly type: 'answer'
      readonly text: string
      readonly toolCalls: readonly ModelToolCall[]
      readonly modelIndex: number
    }
  | { readonly type: 'broken'; readonly text: string; readonly failure: ModelFailure }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled'; readonly text: string }

type GenerationEvent = Extract<DialogueEvent, { type: 'text-delta' | 'usage' | 'explanation' }>

/**
 * Streams one answer, with retries and fallback models. The listener never receives blank answers or failures before the first
 * token. There is no retry after the first token. Tool calls are dropped if the request forbids them.
 */
export async function* streamWithFallback(options: GenerationOptions): AsyncGenerator<GenerationEvent, Generation> {
  let state = createAttemptState(options.startIndex)
  for (;;) {
    const name = options.modelNames[state.modelIndex] ?? ''
    const model = options.resolveModel(name)
    const attempt: Attempt =
      model === null ? { type: 'not-configured', name } : yield* streamAttempt(options, model, state.modelIndex)
    if (isGeneration(attempt)) return attempt
    const next = decideNextAttempt(state, attempt, {
      modelCount: options.modelNames.length,
      fallbackMessage: options.fallbackMessage,
      blankAnswerMessage: options.blankAnswerMessage,
    })
    yield* explainAttempt(options, { state, attempt, next, modelName: model?.name ?? '' })
    if (next.type === 'fail') return { type: 'failed', failure: next.failure }
    if (next.type === 'say') {
      if (options.signal.aborted) return { type: 'cancelled', text: '' }
      if (next.text !== '') yield { type: 'text-delta', text: next.text }
      return { type: 'answer', text: next.text, toolCalls: [], modelIndex: state.modelIndex }
    }
    if (next.type === 'retry') await pause(options.clock, next.waitMs, options.signal)
    if (options.signal.aborted) return { type: 'cancelled', text: '' }
    state = next.state
  }
}

type Attempt = Exclude<Generation, { type: 'failed' }> | AttemptFailure

function isGeneration(attempt: Attempt): attempt is Exclude<Generation, { type: 'failed' }> {
  return attempt.type === 'answer' || attempt.type === 'broken' || attempt.type === 'cancelled'
}

async function* streamAttempt(
  options: GenerationOptions,
  model: LanguageModel,
  modelIndex: number,
): AsyncGenerator<GenerationEvent, Attempt> {
  const { signal } = options
  const request = options.buildRequest(model)
  const reader = new ModelReader(model, request, options)
  let streamedText = ''
  let heldText = ''
  try {
    while (!signal.aborted) {
      const text = reader.takeText()
      if (text === '') {
        if (reader.end !== null) break
        await reader.waitForChange()
      } else if (streamedText === '' && isBlank(text)) {
        // Leading whitespace waits for the first word, so that the listener never receives a blank answer.
        heldText += text
      } else {
        streamedText += heldText + text
        const delta = heldText + text
        heldText = ''
        yield { type: 'text-delta', text: delta }
      }
    }
  } finally {
    reader.close()
  }
  if (reader.end?.type === 'finished' && reader.end.usage !== null) {
    yield { type: 'usage', model: model.name, usage: reader.end.usage }
  }
  if (signal.aborted) return { type: 'cancelled', text: streamedText }
  const toolCalls = request.toolChoice === 'none' ? [] : reader.toolCalls
  return classifyAttempt(reader, { streamedText, toolCalls, modelIndex })
}

/** Whether a text contains only whitespace and zero-width characters. */
function isBlank(text: string): boolean {
  return !/[^\s\u00ad\u200b-\u200f\u2060\ufeff]/.test(text)
}

function classifyAttempt(
  reader: ModelReader,
  received: { streamedText: string; toolCalls: readonly ModelToolCall[]; modelIndex: number },
): Attempt {
  const { streamedText, toolCalls, modelIndex } = received
  if (reader.end?.type === 'failed') {
    const { failure } = reader.end
    // A broken stream's tool calls were not sent, so another attempt is safe.
    return streamedText === '' ? { type: 'failed', failure } : { type: 'broken', text: streamedText, failure }
  }
  if (streamedText === '' && toolCalls.length === 0) return { type: 'blank' }
  return { type: 'answer', text: streamedText, toolCalls, modelIndex }
}

function* explainAttempt(
  options: GenerationOptions,
  step: { state: AttemptState; attempt: AttemptFailure; next: NextAttempt; modelName: string },
): Generator<GenerationEvent> {
  const { state, attempt, next, modelName } = step
  if (attempt.type === 'blank') yield explain({ type: 'blank-answer', model: modelName })
  if (next.type === 'retry' && attempt.type === 'failed') {
    yield explain({ type: 'model-retry', model: modelName, failure: attempt.failure })
  }
  if (next.type === 'fallback') {
    const from = options.modelNames[state.modelIndex] ?? ''
    const to = options.modelNames[next.state.modelIndex] ?? ''
    const failure = attempt.type === 'failed' ? attempt.failure : null
    yield explain({ type: 'model-fallback', from, to, failure })
  }
  if (next.type === 'say') {
    yield explain({ type: 'fallback-message', failure: next.failure })
  }
}
