import type { Clock, LanguageModel, ModelEvent, ModelMessage, ModelRequest } from '@parley/engine/ports'
import { Dispatcher } from 'undici'
import type { Wire } from '../../../../../testing/model-server/reply.ts'
import { createAnthropicModel } from './anthropic-wire.ts'
import { createOpenAiModel, type WireModelOptions } from './openai-wire.ts'

export const WIRES: readonly Wire[] = ['openai', 'anthropic']
export const TEST_KEY = 'sk-test-0123456789abcdef'

/** A clock that only moves when `advance` is called. Counts pending timers. */
export interface TestClock extends Clock {
  advance(durationMs: number): void
  /** Resolves once a timer with this delay is pending. */
  timerSet(delayMs: number): Promise<void>
  readonly pendingTimers: number
}

export function createTestClock(startMs = Date.UTC(2025, 0, 1)): TestClock {
  const timers = new Set<{ readonly atMs: number; readonly delayMs: number; readonly callback: () => void }>()
  const waiters: { readonly delayMs: number; readonly resolve: () => void }[] = []
  let nowMs = startMs
  return {
    now: () => nowMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, delayMs, callback }
      timers.add(timer)
      for (const waiter of waiters) if (waiter.delayMs === delayMs) waiter.resolve()
      return () => timers.delete(timer)
    },
    advance(durationMs) {
      nowMs += durationMs
      for (const timer of [...timers].sort((left, right) => left.atMs - right.atMs)) {
        if (timer.atMs > nowMs || !timers.delete(timer)) continue
        timer.callback()
      }
    },
    timerSet(delayMs) {
      if ([...timers].some((timer) => timer.delayMs === delayMs)) return Promise.resolve()
      return new Promise((resolve) => waiters.push({ delayMs, resolve }))
    },
    get pendingTimers() {
      return timers.size
    },
  }
}

/** Creates a model of the given wire format at a server's URL. */
export function createTestModel(
  wire: Wire,
  options: Pick<WireModelOptions, 'http' | 'clock'> & { readonly url: string; readonly model?: string },
): LanguageModel {
  const { http, clock, url, model = 'test-model' } = options
  const commonOptions = { name: `test/${model}`, model, apiKey: TEST_KEY, http, clock }
  return wire === 'openai'
    ? createOpenAiModel({ ...commonOptions, baseUrl: `${url}/v1` })
    : createAnthropicModel({ ...commonOptions, baseUrl: url })
}

export function buildRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  const messages: readonly ModelMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello' },
  ]
  return { messages, tools: [], toolChoice: 'auto', signal: new AbortController().signal, ...overrides }
}

export async function collect(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

export function joinTexts(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

/** A dispatcher that responds to every request synchronously with the same chunks. */
export class ChunkDispatcher extends Dispatcher {
  readonly #chunks: readonly Buffer[]

  constructor(chunks: readonly Buffer[]) {
    super()
    this.#chunks = chunks
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    let reason: Error | null = null
    const controller: Dispatcher.DispatchController = {
      get aborted() {
        return reason !== null
      },
      paused: false,
      get reason() {
        return reason
      },
      abort: (error) => {
        reason ??= error
      },
      pause: () => undefined,
      resume: () => undefined,
    }
    handler.onRequestStart?.(controller, {})
    handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' })
    for (const chunk of this.#chunks) {
      if (reason === null) handler.onResponseData?.(controller, chunk)
    }
    if (reason === null) handler.onResponseEnd?.(controller, {})
    return true
  }
}
