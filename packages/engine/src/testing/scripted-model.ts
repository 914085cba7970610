import type { Clock, LanguageModel, ModelEvent, ModelFailure, ModelRequest } from '../ports.ts'

/** What a scripted model does: an event, a pause, or nothing more until it is aborted. */
export type ScriptedEvent =
  | ModelEvent
  | { readonly type: 'delay'; readonly delayMs: number }
  | { readonly type: 'hang' }
  | { readonly type: 'throw' }

/** One generation: what it must be asked (throw to object) and what it streams. */
export interface ScriptedStep {
  readonly expect?: (request: ModelRequest) => void
  readonly events: readonly ScriptedEvent[]
}

/** A scripted model and what happened to it. */
export interface ScriptedModel {
  readonly model: LanguageModel
  readonly requests: readonly ModelRequest[]
  /** Throws when a step was left over, an unexpected generation was asked for, or an expectation was not met. */
  assertConsumed(): void
}

const NO_USAGE = { type: 'finish', reason: 'stop', usage: null } as const

/** A step that answers with text, in the given pieces. */
export function says(...chunks: readonly string[]): ScriptedStep {
  return { events: [...chunks.map((text) => ({ type: 'text-delta', text }) as const), NO_USAGE] }
}

/** A step that calls tools: `[name, arguments]` each. Arguments given as a string are passed on as they are. */
export function callsTools(...calls: readonly (readonly [name: string, args: unknown])[]): ScriptedStep {
  const events = calls.map(([name, args], index): ModelEvent => {
    const argumentsText = typeof args === 'string' ? args : JSON.stringify(args)
    return { type: 'tool-call', call: { id: `model-${index}`, name, argumentsText } }
  })
  return { events: [...events, { type: 'finish', reason: 'tool-calls', usage: null }] }
}

/** A step that fails, by default in a way that may be retried. */
export function failsWith(failure: Partial<ModelFailure> = {}, ...before: readonly ScriptedEvent[]): ScriptedStep {
  const complete = {
    kind: 'unavailable',
    message: 'The provider is unavailable.',
    retryable: true,
    ...failure,
  } as const
  return { events: [...before, { type: 'error', failure: complete }] }
}

/** Plays one step per generation. Delays need `clock`. It listens to its signal like a real adapter. */
export function scriptedModel(
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
      return play(step ?? failsWith({ kind: 'protocol', retryable: false }), request.signal, options.clock)
    },
  }
  const assertConsumed = (): void => {
    for (const problem of problems) throw problem instanceof Error ? problem : new Error(String(problem))
    if (requests.length < steps.length)
      throw new Error(`${steps.length - requests.length} steps of the model were left over.`)
  }
  return { model, requests, assertConsumed }
}

async function* play(step: ScriptedStep, signal: AbortSignal, clock: Clock | undefined): AsyncGenerator<ModelEvent> {
  for (const event of step.events) {
    if (event.type === 'delay') await waitFor(signal, event.delayMs, clock)
    else if (event.type === 'hang') await waitFor(signal, Number.POSITIVE_INFINITY, clock)
    else if (event.type === 'throw') throw new Error('scripted failure of the adapter')
    else if (!signal.aborted) yield event
    if (signal.aborted) return
  }
}

function waitFor(signal: AbortSignal, delayMs: number, clock: Clock | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    let cancel: () => void = () => {}
    const finish = (): void => {
      cancel()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    signal.addEventListener('abort', finish, { once: true })
    if (Number.isFinite(delayMs)) {
      if (clock === undefined) throw new Error('A delay needs a clock.')
      cancel = clock.after(delayMs, finish)
    }
  })
}
