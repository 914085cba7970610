import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../../ports.ts'
import {
  callTools,
  createManualClock,
  createScriptedModel,
  failWith,
  joinStreamedText,
  playTurn,
  replyWith,
  runScenario,
  type ScriptedStep,
  selectEvents,
  startScenario,
} from '../../testing/index.ts'
import { BLANK_ANSWER_MESSAGE } from '../llm/converse.ts'

const finish: ModelEvent = { type: 'finish', reason: 'stop', usage: null }
const createTextDelta = (text: string): ModelEvent => ({ type: 'text-delta', text })

describe('failures before the first token', () => {
  test('a retryable failure is retried once', async () => {
    const { text, explanations } = await playTurn([failWith(), replyWith('fine')])
    expect(text).toBe('fine')
    expect(explanations.map(({ type }) => type)).toEqual(['model-retry'])
  })

  test.each([
    [undefined, 250],
    [700, 700],
    [60_000, 2_000],
    [Number.NaN, 250],
  ])('with a requested delay of %s ms it waits %d ms', async (retryAfterMs, waitedMs) => {
    const main = createScriptedModel([failWith({ kind: 'rate-limited', retryAfterMs }), replyWith('fine')])
    const { time, isDone } = startScenario({ models: { main } })
    await time.advance(waitedMs - 1)
    expect(main.requests).toHaveLength(1)
    await time.advance(1)
    expect(isDone()).toBe(true)
    expect(time.countPendingTimers()).toBe(0)
  })

  test('fallback models follow in order, without unknown and repeated ones', async () => {
    const main = createScriptedModel([failWith({ retryable: false })])
    const second = createScriptedModel([failWith(), failWith()])
    const third = createScriptedModel([replyWith('third')])
    const events = await runScenario({
      models: { main, second, third },
      conversation: { fallbackModels: ['gone', 'main', 'second', 'third'], fallbackMessage: 'unused' },
    })
    for (const model of [main, second, third]) model.assertConsumed()
    expect(joinStreamedText(events)).toBe('third')
    const steps = selectEvents(events, 'explanation').map(({ explanation }) =>
      explanation.type === 'model-fallback'
        ? `${explanation.from}>${explanation.to}:${explanation.failure?.kind}`
        : explanation.type,
    )
    expect(steps).toEqual(['main>gone:unavailable', 'gone>second:undefined', 'model-retry', 'second>third:unavailable'])
  })

  test('after all models failed the fallback message is said, with variables', async () => {
    const { events } = await playTurn([failWith({ retryable: false })], {
      conversation: {
        fallbackMessage: 'Sorry {{name}}.',
        variables: { system: {}, given: { name: 'Ada' }, override: {} },
      },
    })
    expect(selectEvents(events, 'message-end')).toMatchObject([{ content: 'Sorry Ada.', incomplete: false }])
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', outcome: 'completed' })
  })

  test('the turn fails with the last failure without a fallback message', async () => {
    const { events } = await playTurn([failWith({ kind: 'unauthorized', retryable: false })], {
      conversation: { fallbackMessage: ' ' },
    })
    expect(events).toMatchObject([{ type: 'turn-end', outcome: 'failed', failure: { kind: 'unauthorized' } }])
  })

  test('a model that no vendor serves fails the turn', async () => {
    const events = await runScenario({})
    expect(events).toMatchObject([{ type: 'turn-end', outcome: 'failed', failure: { kind: 'rejected' } }])
  })

  test('tool calls of a broken stream without text are not sent', async () => {
    const call: ModelEvent = { type: 'tool-call', call: { id: 'm', name: 'x', argumentsText: '{}' } }
    const { events } = await playTurn([failWith({}, call), replyWith('fine')])
    expect(selectEvents(events, 'message-end')).toMatchObject([{ content: 'fine', toolCalls: [] }])
  })

  test.each<[string, ScriptedStep]>([
    ['throws', { events: [{ type: 'throw' }] }],
    ['ends without a finish', { events: [] }],
    ['never stops', { events: Array.from({ length: 20 }, () => createTextDelta(' '.repeat(60_000))) }],
  ])('an adapter that %s is a failure', async (_name, step) => {
    const { events } = await playTurn([step, ...(step.events.length === 0 ? [step] : [])])
    expect(events.at(-1)).toMatchObject({ outcome: 'failed', failure: { kind: 'protocol' } })
  })
})

describe('deadlines', () => {
  const cases: readonly [string, ScriptedStep['events'], number, string][] = [
    ['first token', [{ type: 'hang' }], 20_000, ''],
    [
      'idle',
      [createTextDelta('one '), { type: 'delay', delayMs: 4_000 }, createTextDelta('two'), { type: 'hang' }],
      9_000,
      'one two',
    ],
    [
      'idle after a late first token',
      [{ type: 'delay', delayMs: 19_000 }, createTextDelta('late'), { type: 'hang' }],
      24_000,
      'late',
    ],
    [
      'total',
      Array.from({ length: 20 }, () => [createTextDelta('x'), { type: 'delay', delayMs: 4_000 } as const]).flat(),
      60_000,
      'x'.repeat(15),
    ],
  ]
  test.each(cases)('%s', async (_name, script, expiresMs, text) => {
    const time = createManualClock()
    const main = createScriptedModel([{ events: script }, { events: script }], { clock: time.clock })
    const { events, isDone } = startScenario({ models: { main }, time })
    await time.advance(expiresMs - 1)
    expect(isDone()).toBe(false)
    expect(selectEvents(events, 'explanation')).toEqual([])
    await time.advance(1)
    expect(joinStreamedText(events)).toBe(text)
    if (text === '') {
      // Nothing was streamed, so one retry follows; the turn fails after its deadline.
      expect(selectEvents(events, 'explanation')).toMatchObject([{ explanation: { type: 'model-retry' } }])
      await time.advance(250 + expiresMs)
    } else {
      expect(selectEvents(events, 'message-end')).toMatchObject([{ content: text, incomplete: true, toolCalls: [] }])
    }
    expect(events.at(-1)).toMatchObject({ outcome: 'failed', failure: { kind: 'timeout' } })
    expect(time.countPendingTimers()).toBe(0)
    for (const request of main.requests) expect(request.signal.aborted).toBe(true)
  })

  test('arm one timer per stage, none per token', async () => {
    const time = createManualClock()
    let armed = 0
    const counted = {
      ...time,
      clock: {
        now: time.clock.now,
        after: (delayMs: number, callback: () => void) => {
          armed += 1
          return time.clock.after(delayMs, callback)
        },
      },
    }
    const { requests, text } = await playTurn([replyWith(...Array.from({ length: 1_000 }, () => 'word '))], {
      time: counted,
    })
    expect(text).toBe('word '.repeat(1_000))
    expect(armed).toBe(3)
    expect(requests[0]?.signal.aborted).toBe(false)
  })

  test('do not apply while the consumer is slow', async () => {
    const time = createManualClock()
    const chunks = Array.from({ length: 10 }, (_, index) => String(index).repeat(30_000))
    const main = createScriptedModel([replyWith(...chunks)])
    const { events, isDone } = startScenario(
      { models: { main }, time },
      () => new Promise((resolve) => time.clock.after(7_000, () => resolve())),
    )
    await time.advance(100_000)
    expect(isDone()).toBe(true)
    expect(joinStreamedText(events)).toBe(chunks.join(''))
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
  })
})

describe('after the first token', () => {
  test('the partial text stays incomplete and is not retried', async () => {
    const words = Array.from({ length: 10 }, (_, index) => createTextDelta(`w${index} `))
    const main = createScriptedModel([failWith({}, ...words)])
    const fallback = createScriptedModel([])
    const events = await runScenario({
      models: { main, fallback },
      conversation: { fallbackModels: ['fallback'], fallbackMessage: 'unused' },
    })
    fallback.assertConsumed()
    const content = 'w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 '
    expect(joinStreamedText(events)).toBe(content)
    expect(events.slice(-2)).toMatchObject([
      { type: 'message-end', content, incomplete: true, toolCalls: [] },
      { type: 'turn-end', outcome: 'failed', failure: { kind: 'unavailable' } },
    ])
  })

  test('refusals with text and truncated answers are answers; usage is reported', async () => {
    for (const reason of ['refusal', 'length'] as const) {
      const usage = { inputTokens: 5, outputTokens: 3, cachedInputTokens: 0 }
      const main = createScriptedModel(
        [{ events: [createTextDelta('I cannot.'), { type: 'finish', reason, usage }] }],
        { name: 'maker/main' },
      )
      const events = await runScenario({ models: { main } })
      expect(selectEvents(events, 'usage')).toEqual([{ type: 'usage', model: 'maker/main', usage }])
      expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
    }
  })
})

describe('blank answers', () => {
  const blank: ScriptedStep = { events: [createTextDelta(''), createTextDelta(' \n'), createTextDelta('\t'), finish] }

  test('leading whitespace waits for the first word', async () => {
    const { events } = await playTurn([
      { events: [createTextDelta('\n'), createTextDelta(' '), createTextDelta('Hi'), createTextDelta(' '), finish] },
    ])
    expect(selectEvents(events, 'text-delta')[0]?.text).toMatch(/^\n Hi/)
    expect(selectEvents(events, 'message-end')).toMatchObject([{ content: '\n Hi ' }])
  })

  test('whitespace is never streamed and retried once', async () => {
    const { text, explanations } = await playTurn([blank, replyWith('Hello')])
    expect(text).toBe('Hello')
    expect(explanations).toMatchObject([{ type: 'blank-answer' }])
  })

  test('zero-width characters are blank', async () => {
    expect(
      (
        await playTurn([
          { events: [createTextDelta('\u200b'), createTextDelta(' \ufeff'), finish] },
          replyWith('Hello'),
        ])
      ).text,
    ).toBe('Hello')
  })

  test('an unknown model is named', async () => {
    const events = await runScenario({ models: {}, engine: { model: 'acme/one' } })
    expect(events.at(-1)).toMatchObject({
      outcome: 'failed',
      failure: { message: 'No configured provider serves the model "acme/one".' },
    })
  })

  test.each([
    [null, BLANK_ANSWER_MESSAGE],
    ['One moment.', 'One moment.'],
  ])('two with the fallback message %j say %j', async (fallbackMessage, message) => {
    const { events } = await playTurn([blank, { events: [finish] }], { conversation: { fallbackMessage } })
    expect(selectEvents(events, 'message-end')).toMatchObject([{ content: message, incomplete: false }])
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
  })

  test('a stream that breaks after whitespace counts as not started', async () => {
    expect((await playTurn([failWith({}, createTextDelta('  ')), replyWith('Hello')])).text).toBe('Hello')
  })
})

test('a failed model is not asked again in the same turn', async () => {
  const main = createScriptedModel([failWith({ retryable: false })])
  const second = createScriptedModel([callTools(['nothing', {}]), replyWith('done')])
  const events = await runScenario({ models: { main, second }, conversation: { fallbackModels: ['second'] } })
  for (const model of [main, second]) model.assertConsumed()
  expect(joinStreamedText(events)).toBe('done')
})
