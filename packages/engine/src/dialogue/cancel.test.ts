import { describe, expect, test } from 'vitest'
import type { HttpToolCall, HttpToolOutcome } from '../ports.ts'
import {
  callTools,
  createHttpOutcome,
  createManualClock,
  createScriptedHttpTools,
  createScriptedModel,
  failWith,
  findTurnGrammarProblem,
  flushPromises,
  replyWith,
  type ScenarioOptions,
  selectEvents,
  startScenario,
} from '../testing/index.ts'

const tools = [
  { type: 'custom', name: 'book', url: 'https://example.com' },
  { type: 'end_call', name: 'hang_up' },
] as const

/** A turn with every type of await: retry, text, tools, closing message. */
function createBusyTurn(): ScenarioOptions {
  const text = { type: 'text-delta', text: 'One moment.' } as const
  const step = callTools(['book', {}], ['book', {}])
  const main = createScriptedModel([
    failWith(),
    { events: [text, ...step.events] },
    callTools(['hang_up', {}], ['missing', {}]),
    replyWith('Good', 'bye'),
  ])
  const http = createScriptedHttpTools({ book: [createHttpOutcome({ a: 1 }), createHttpOutcome('text')] })
  return { models: { main }, http, engine: { tools } }
}

describe('cancelling', () => {
  test('stops the turn cleanly after any number of steps', async () => {
    let completed = 0
    for (let steps = 0; steps < 400; steps += 1) {
      const scenario = startScenario(createBusyTurn())
      for (let step = 0; step < steps; step += 1) {
        await Promise.resolve()
        // Only the pause before the retry waits for time.
        if (step === 60) await scenario.time.advance(250)
      }
      scenario.controller.abort()
      await flushPromises()
      expect(scenario.isDone()).toBe(true)
      expect(findTurnGrammarProblem(scenario.events, true)).toBeNull()
      expect(scenario.time.countPendingTimers()).toBe(0)
      if (selectEvents(scenario.events, 'turn-end').length > 0) completed += 1
    }
    expect(completed).toBeGreaterThan(0)
    expect(completed).toBeLessThan(400)
  })

  test('emits only the message-end of the streamed text after a cancellation at any event', async () => {
    for (let stop = 0; stop < 12; stop += 1) {
      let seen = 0
      const scenario = startScenario(createBusyTurn(), () => {
        if (seen === stop) scenario.controller.abort()
        seen += 1
      })
      await scenario.time.advance(1_000)
      expect(scenario.isDone()).toBe(true)
      expect(findTurnGrammarProblem(scenario.events, true)).toBeNull()
      const at = scenario.events[stop]
      const after = scenario.events.slice(stop + 1).map(({ type }) => type)
      expect(after.filter((type) => !['message-end', 'usage', 'tool-result'].includes(type))).toEqual([])
      if (at?.type === 'text-delta') {
        expect(scenario.events.at(-1)).toMatchObject({ type: 'message-end', incomplete: true, toolCalls: [] })
      }
    }
  })

  test('ends without an event and closes the upstream while the model is silent', async () => {
    const main = createScriptedModel([{ events: [{ type: 'hang' }] }])
    const scenario = startScenario({ models: { main } })
    await scenario.time.advance(100)
    scenario.controller.abort()
    await flushPromises()
    expect(scenario.isDone()).toBe(true)
    expect(scenario.events).toEqual([])
    expect(main.requests[0]?.signal.aborted).toBe(true)
    expect(scenario.time.countPendingTimers()).toBe(0)
  })

  test('does not wait for a model or tool that ignores it', async () => {
    const unresponsive = {
      name: 'deaf',
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
    }
    const main = { ...createScriptedModel([]), model: unresponsive }
    const silent = startScenario({ models: { main } })
    await flushPromises()
    silent.controller.abort()
    await flushPromises()
    expect(silent.isDone()).toBe(true)

    const http = createScriptedHttpTools({ book: [createHttpOutcome('done'), () => new Promise<never>(() => {})] })
    const caller = createScriptedModel([callTools(['book', {}], ['book', {}])])
    const busy = startScenario({ models: { main: caller }, http, engine: { tools } })
    await flushPromises()
    busy.controller.abort()
    await flushPromises()
    expect(busy.isDone()).toBe(true)
    expect(selectEvents(busy.events, 'tool-result').map(({ content }) => content)).toEqual(['done'])
  })

  test('aborts tools and keeps the results of finished ones', async () => {
    const cancelled = (call: HttpToolCall): Promise<HttpToolOutcome> =>
      new Promise((resolve) => {
        const outcome = { ok: false, reason: 'cancelled', status: null, message: 'Cancelled.', durationMs: 1 } as const
        call.signal.addEventListener('abort', () => resolve(outcome), { once: true })
      })
    const http = createScriptedHttpTools({ book: [cancelled, createHttpOutcome('done'), cancelled] })
    const main = createScriptedModel([callTools(['book', {}], ['book', {}], ['book', {}])])
    // A slow consumer lets the last call report that it was canceled.
    const scenario = startScenario({ models: { main }, http, engine: { tools } }, flushPromises)
    await scenario.time.advance(1)
    scenario.controller.abort()
    await scenario.time.advance(1)
    expect(scenario.isDone()).toBe(true)
    expect(scenario.events.slice(1)).toMatchObject([{ type: 'tool-result', content: 'done' }])
  })

  test('emits no event and sends no request before the start', async () => {
    const main = createScriptedModel([])
    const controller = new AbortController()
    controller.abort()
    const scenario = startScenario({ models: { main }, controller })
    await scenario.finished
    expect(scenario.events).toEqual([])
    expect(main.requests).toEqual([])
  })

  test('a consumer that stops reading leaves nothing behind', async () => {
    const time = createManualClock()
    const main = createScriptedModel([{ events: [{ type: 'text-delta', text: 'Hi' }, { type: 'hang' }] }])
    const scenario = startScenario({ models: { main }, time }, () => {
      throw new Error('the consumer failed')
    })
    await expect(scenario.finished).rejects.toThrow('the consumer failed')
    await flushPromises()
    expect(time.countPendingTimers()).toBe(0)
    expect(scenario.countListeners()).toBe(0)
    expect(main.requests[0]?.signal.aborted).toBe(true)
  })
})
