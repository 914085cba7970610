import type {
  Clock,
  CustomLlmClient,
  CustomLlmEvent,
  CustomLlmRequest,
  LanguageModel,
  ModelEvent,
  ModelFailure,
  ModelRequest,
} from '../ports.ts'
import { pause } from './manual-clock.ts'

/** A pause, a hang until the request is aborted, or a throw, which adapters must not do. */
type ScriptedControl =
  | { readonly type: 'delay'; readonly delayMs: number }
  | { readonly type: 'hang' }
  | { readonly type: 'throw' }

/** A step of a scripted model. */
export type ScriptedEvent = ModelEvent | ScriptedControl

/** The script of one generation: an optional assertion on the request, and the events to stream. */
export interface ScriptedStep {
  readonly expect?: (request: ModelRequest) => void
  readonly events: readonly ScriptedEvent[]
}

/** A scripted model and the requests that it received. */
export interface ScriptedModel {
  readonly model: LanguageModel
  readonly requests: readonly ModelRequest[]
  /** Throws if a step was not used, a generation was unexpected, or an assertion failed. */
  assertConsumed(): void
}

const NO_USAGE = { type: 'finish', reason: 'stop', usage: null } as const

/** Builds a step that answers with text in the given chunks. */
export function says(...chunks: readonly string[]): ScriptedStep {
  return { events: [...chunks.map((text) => ({ type: 'text-delta', text }) as const), NO_USAGE] }
}

/** Builds a step that calls tools, each given as `[name, arguments]`. String arguments stay unchanged. */
export function callsTools(...calls: readonly (readonly [name: string, args: unknown])[]): ScriptedStep {
  const events = calls.map(([name, args], index): ModelEvent => {
    const argumentsText = typeof args === 'string' ? args : JSON.stringify(args)
    return { type: 'tool-call', call: { id: `model-${index}`, name, argumentsText } }
  })
  return { events: [...events, { type: 'finish', reason: 'tool-calls', usage: null }] }
}

/** Builds a step that fails, retryable by default. */
export function failsWith(failure: Partial<ModelFailure> = {}, ...before: readonly ScriptedEvent[]): ScriptedStep {
  const complete = {
    kind: 'unavailable',
    message: 'The provider is unavailable.',
    retryable: true,
    ...failure,
  } as const
  return { events: [...before, { type: 'error', failure: complete }] }
}

/**
 * Creates a model that plays one step per generation and honors the abort signal like a production adapter. Delays require
 * `clock`.
 */
export function createScriptedModel(
  steps: readonly ScriptedStep[],
  options: { readonly name?: string; readonly contextTokens?: number; readonly clock?: Clock } = {},
): ScriptedModel {
  const requests: ModelRequest[] = []
  const problems: unknown[] = []
  const model: LanguageModel = {
    name: options.name ?? 'scripted/model',
    contextTokens: options.contextTokens,
    stream(request) {
      const step = steps[requests.length]
      requests.push(request)
      if (step === undefined) problems.push(new Error(`Generation ${requests.length} was not expected.`))
      try {
        step?.expect?.(request)
      } catch (problem) {
        problems.push(problem)
      }
      const { events } = step ?? failsWith({ kind: 'protocol', retryable: false })
      return play<ModelEvent>(events, request.signal, options.clock)
    },
  }
  const assertConsumed = (): void => {
    for (const problem of problems) throw problem instanceof Error ? problem : new Error(String(problem))
    if (requests.length < steps.length)
      throw new Error(`${steps.length - requests.length} steps of the model were left over.`)
  }
  return { model, requests, assertConsumed }
}

/** A step of a scripted server. */
export type ScriptedServerEvent = CustomLlmEvent | ScriptedControl

/** A scripted custom LLM server and the requests that it received. */
interface ScriptedCustomLlm {
  readonly client: CustomLlmClient
  readonly requests: readonly CustomLlmRequest[]
  /** Throws unless each answer was requested exactly once. */
  assertConsumed(): void
}

/** Builds a complete answer in the given chunks. */
export function serverSays(...chunks: readonly string[]): readonly ScriptedServerEvent[] {
  return [...serverStreams(...chunks), { type: 'complete', endCall: false }]
}

/** Builds the chunks of an answer without its end. */
export function serverStreams(...chunks: readonly string[]): readonly ScriptedServerEvent[] {
  return chunks.map((text) => ({ type: 'text-delta', text }))
}

/** Builds a failure after some events, retryable by default. */
export function serverFails(
  failure: Partial<ModelFailure> = {},
  ...before: readonly ScriptedServerEvent[]
): readonly ScriptedServerEvent[] {
  const complete = { kind: 'unavailable', message: 'The server is unavailable.', retryable: true, ...failure } as const
  return [...before, { type: 'failed', failure: complete }]
}

/** Builds a tool call that the server makes. */
export function serverCalls(id: string, name: string, argumentsText = '{}'): ScriptedServerEvent {
  return { type: 'tool-call', call: { id, name, argumentsText } }
}

/** Creates a server that plays one list of events per request. Delays require `clock`. */
export function createScriptedCustomLlm(
  answers: readonly (readonly ScriptedServerEvent[])[],
  options: { readonly clock?: Clock } = {},
): ScriptedCustomLlm {
  const requests: CustomLlmRequest[] = []
  const client: CustomLlmClient = {
    respond(request) {
      const answer = answers[requests.length] ?? serverFails({ kind: 'protocol', retryable: false })
      requests.push(request)
      return play<CustomLlmEvent>(answer, request.signal, options.clock)
    },
  }
  const assertConsumed = (): void => {
    if (requests.length !== answers.length)
      throw new Error(`${requests.length} requests for ${answers.length} answers.`)
  }
  return { client, requests, assertConsumed }
}

/** Yields events until the request is aborted. Delays require `clock`. */
async function* play<Event extends { readonly type: string }>(
  events: readonly (Event | ScriptedControl)[],
  signal: AbortSignal,
  clock: Clock | undefined,
): AsyncGenerator<Event> {
  for (const event of events) {
    if (signal.aborted) return
    if (event.type === 'throw') throw new Error('scripted failure of the adapter')
    if (event.type === 'hang') await pause(Number.POSITIVE_INFINITY, signal, clock)
    else if (event.type === 'delay') await pause((event as { readonly delayMs: number }).delayMs, signal, clock)
    else yield event as Event
  }
}
