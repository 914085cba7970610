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
import { waitFor } from './manual-clock.ts'

/** A delay, a hang until the request is aborted, or an exception, which real adapters never throw. */
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

/** Builds a step that streams a text reply in these chunks. */
export function replyWith(...chunks: readonly string[]): ScriptedStep {
  return { events: [...chunks.map((text) => ({ type: 'text-delta', text }) as const), NO_USAGE] }
}

/** Builds a step that calls tools, each defined as `[name, arguments]`. String arguments stay unchanged. */
export function callTools(...calls: readonly (readonly [name: string, args: unknown])[]): ScriptedStep {
  const events = calls.map(([name, args], index): ModelEvent => {
    const argumentsText = typeof args === 'string' ? args : JSON.stringify(args)
    return { type: 'tool-call', call: { id: `model-${index}`, name, argumentsText } }
  })
  return { events: [...events, { type: 'finish', reason: 'tool-calls', usage: null }] }
}

/** Builds a step that fails, retryable by default. */
export function failWith(
  failure: Partial<ModelFailure> = {},
  ...previousEvents: readonly ScriptedEvent[]
): ScriptedStep {
  const fullFailure = {
    kind: 'unavailable',
    message: 'The provider is unavailable.',
    retryable: true,
    ...failure,
  } as const
  return { events: [...previousEvents, { type: 'error', failure: fullFailure }] }
}

/** Creates a model that plays one step per generation and stops on abort like a production adapter. Delays require `clock`. */
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
      const { events } = step ?? failWith({ kind: 'protocol', retryable: false })
      return playEvents<ModelEvent>(events, request.signal, options.clock)
    },
  }
  const assertConsumed = (): void => {
    for (const problem of problems) throw problem instanceof Error ? problem : new Error(String(problem))
    if (requests.length < steps.length)
      throw new Error(`${steps.length - requests.length} steps of the model were not used.`)
  }
  return { model, requests, assertConsumed }
}

/** A step of a scripted server. */
export type ScriptedServerEvent = CustomLlmEvent | ScriptedControl

/** A scripted custom LLM server and the requests that it received. */
interface ScriptedCustomLlm {
  readonly client: CustomLlmClient
  readonly requests: readonly CustomLlmRequest[]
  /** Throws unless each reply was requested exactly once. */
  assertConsumed(): void
}

/** Builds a complete reply in these chunks. */
export function createServerReply(...chunks: readonly string[]): readonly ScriptedServerEvent[] {
  return [...createServerChunks(...chunks), { type: 'complete', endCall: false }]
}

/** Builds the chunks of a reply without its end. */
export function createServerChunks(...chunks: readonly string[]): readonly ScriptedServerEvent[] {
  return chunks.map((text) => ({ type: 'text-delta', text }))
}

/** Builds a failure after some events, retryable by default. */
export function createServerFailure(
  failure: Partial<ModelFailure> = {},
  ...previousEvents: readonly ScriptedServerEvent[]
): readonly ScriptedServerEvent[] {
  const fullFailure = {
    kind: 'unavailable',
    message: 'The server is unavailable.',
    retryable: true,
    ...failure,
  } as const
  return [...previousEvents, { type: 'failed', failure: fullFailure }]
}

/** Builds a tool call that the server makes. */
export function createServerToolCall(id: string, name: string, argumentsText = '{}'): ScriptedServerEvent {
  return { type: 'tool-call', call: { id, name, argumentsText } }
}

/** Creates a server that plays one list of events per request. Delays require `clock`. */
export function createScriptedCustomLlm(
  replies: readonly (readonly ScriptedServerEvent[])[],
  options: { readonly clock?: Clock } = {},
): ScriptedCustomLlm {
  const requests: CustomLlmRequest[] = []
  const client: CustomLlmClient = {
    respond(request) {
      const reply = replies[requests.length] ?? createServerFailure({ kind: 'protocol', retryable: false })
      requests.push(request)
      return playEvents<CustomLlmEvent>(reply, request.signal, options.clock)
    },
  }
  const assertConsumed = (): void => {
    if (requests.length !== replies.length)
      throw new Error(`${requests.length} requests for ${replies.length} replies.`)
  }
  return { client, requests, assertConsumed }
}

/** Yields events until the request is aborted. Delays require `clock`. */
async function* playEvents<Event extends { readonly type: string }>(
  events: readonly (Event | ScriptedControl)[],
  signal: AbortSignal,
  clock: Clock | undefined,
): AsyncGenerator<Event> {
  for (const event of events) {
    if (signal.aborted) return
    if (event.type === 'throw') throw new Error('Scripted adapter failure')
    if (event.type === 'hang') await waitFor(Number.POSITIVE_INFINITY, signal, clock)
    else if (event.type === 'delay') await waitFor((event as { readonly delayMs: number }).delayMs, signal, clock)
    else yield event as Event
  }
}
