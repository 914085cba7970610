import { describe, expect, test } from 'vitest'
import type { HttpToolCall, HttpToolOutcome } from '../ports.ts'
import {
  answersWith,
  callsTools,
  eventsOf,
  failsWith,
  manualClock,
  type ScenarioOptions,
  says,
  scriptedHttpTools,
  scriptedModel,
  settle,
  startScenario,
  turnGrammarProblem,
} from '../testing/index.ts'

const tools = [
  { type: 'custom', name: 'book', url: 'https://example.com' },
  { type: 'end_call', name: 'hang_up' },
] as const

/** A turn with every type of await: retry, text, tools, closing message. */
function busyTurn(): ScenarioOptions {
  const text = { type: 'text-delta', text: 'One moment.' } as const
  const step = callsTools(['book', {}], ['book', {}])
  const main = scriptedModel([
    failsWith(),
    { events: [text, ...step.events] },
    callsTools(['hang_up', {}], ['missing', {}]),
    says('Good', 'bye'),
  ])
  const http = scriptedHttpTools({ book: [answersWith({ a: 1 }), answersWith('text')] })
  return { models: { main }, http, engine: { tools } }
}

describe('cancelling', () => {
  test('stops the turn cleanly after any number of steps', async () => {
    let completed = 0
    for (let steps = 0; steps < 400; steps += 1) {
      const scenario = startScenario(busyTurn())
      for (let step = 0; step < steps; step += 1) {
        await Promise.resolve()
        // Only the pause before the retry waits for time.
        if (step === 60) await scenario.time.advance(250)
      }
      scenario.controller.abort()
      await settle()
      expect(scenario.isDone()).toBe(true)
      expect(turnGrammarProblem(scenario.events, true)).toBeNull()
      expect(scenario.time.pendingTimers()).toBe(0)
      if (eventsOf(scenario.events, 'turn-end').length > 0) completed += 1
    }
    expect(completed).toBeGreaterThan(0)
    expect(completed).toBeLessThan(400)
  })

  test('at any event: only the message-end of the streamed text follows', async () => {
    for (let stop = 0; stop < 12; stop += 1) {
      let seen = 0
      const scenario = startScenario(busyTurn(), () => {
        if (seen === stop) scenario.controller.abort()
        seen += 1
      })
      await scenario.time.advance(1_000)
      expect(scenario.isDone()).toBe(true)
      expect(turnGrammarProblem(scenario.events, true)).toBeNull()
      const at = scenario.events[stop]
      const after = scenario.events.slice(stop + 1).map(({ type }) => type)
      expect(after.filter((type) => !['message-end', 'usage', 'tool-result'].includes(type))).toEqual([])
      if (at?.type === 'text-delta') {
        expect(scenario.events.at(-1)).toMatchObject({ type: 'message-end', incomplete: true, toolCalls: [] })
      }
    }
  })

  test('while the model is silent: ends at once without an event and closes the upstream', async () => {
    const main = scriptedModel([{ events: [{ type: 'hang' }] }])
    const scenario = startScenario({ models: { main } })
    await scenario.time.advance(100)
    scenario.controller.abort()
    await settle()
    expect(scenario.isDone()).toBe(true)
    expect(scenario.events).toEqual([])
    expect(main.requests[0]?.signal.aborted).toBe(true)
    expect(scenario.time.pendingTimers()).toBe(0)
  })

  test('does not wait for a model or tool that ignores it', async () => {
    const unresponsive = {
      name: 'deaf',
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
    }
    const main = { ...scriptedModel([]), model: unresponsive }
    const silent = startScenario({ models: { main } })
    await settle()
    silent.controller.abort()
    await settle()
    expect(silent.isDone()).toBe(true)

    const http = scriptedHttpTools({ book: [answersWith('done'), () => new Promise<never>(() => {})] })
    const caller = scriptedModel([callsTools(['book', {}], ['book', {}])])
    const busy = startScenario({ models: { main: caller }, http, engine: { tools } })
    await settle()
    busy.controller.abort()
    await settle()
    expect(busy.isDone()).toBe(true)
    expect(eventsOf(busy.events, 'tool-result').map(({ content }) => content)).toEqual(['done'])
  })

  test('aborts tools; canceled ones have no result, finished ones keep theirs', async () => {
    const cancelled = (call: HttpToolCall): Promise<HttpToolOutcome> =>
      new Promise((resolve) => {
        const outcome = { ok: false, reason: 'cancelled', status: null, message: 'Cancelled.', durationMs: 1 } as const
        call.signal.addEventListener('abort', () => resolve(outcome), { once: true })
      })
    const http = scriptedHttpTools({ book: [cancelled, answersWith('done'), cancelled] })
    const main = scriptedModel([callsTools(['book', {}], ['book', {}], ['book', {}])])
    // A slow consumer lets the last call report that it was canceled.
    const scenario = startScenario({ models: { main }, http, engine: { tools } }, settle)
    await scenario.time.advance(1)
    scenario.controller.abort()
    await scenario.time.advance(1)
    expect(scenario.isDone()).toBe(true)
    expect(scenario.events.slice(1)).toMatchObject([{ type: 'tool-result', content: 'done' }])
  })

  test('before the start: no event and no request', async () => {
    const main = scriptedModel([])
    const controller = new AbortController()
    controller.abort()
    const scenario = startScenario({ models: { main }, controller })
    await scenario.finished
    expect(scenario.events).toEqual([])
    expect(main.requests).toEqual([])
  })

  test('a consumer that stops reading leaves nothing behind', async () => {
    const time = manualClock()
    const main = scriptedModel([{ events: [{ type: 'text-delta', text: 'Hi' }, { type: 'hang' }] }])
    const scenario = startScenario({ models: { main }, time }, () => {
      throw new Error('the consumer failed')
    })
    await expect(scenario.finished).rejects.toThrow('the consumer failed')
    await settle()
    expect(time.pendingTimers()).toBe(0)
    expect(scenario.countListeners()).toBe(0)
    expect(main.requests[0]?.signal.aborted).toBe(true)
  })
})
