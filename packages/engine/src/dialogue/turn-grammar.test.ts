import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createHttpOutcome,
  createManualClock,
  createScriptedHttpTools,
  createScriptedModel,
  findTurnGrammarProblem,
  type ScriptedEvent,
  type ScriptedStep,
  startScenario,
} from '../testing/index.ts'

const text = fc
  .constantFrom('', ' ', '\n', 'Hi', ' there', '.')
  .map((text): ScriptedEvent => ({ type: 'text-delta', text }))
const call = fc
  .record({
    name: fc.constantFrom('book', 'hang_up', 'missing'),
    argumentsText: fc.constantFrom('{}', '', '{"n":1}', '{"n":"x"}', '[', 'null'),
  })
  .map(({ name, argumentsText }): ScriptedEvent => ({ type: 'tool-call', call: { id: 'same', name, argumentsText } }))
const failure = fc
  .record({ kind: fc.constantFrom('timeout', 'unavailable', 'rejected'), retryable: fc.boolean() })
  .map((parts): ScriptedEvent => ({ type: 'error', failure: { ...parts, message: 'failed' } }))
const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 }
const finish = fc
  .record({ reason: fc.constantFrom('stop', 'tool-calls', 'length', 'refusal'), usage: fc.constantFrom(null, usage) })
  .map((parts): ScriptedEvent => ({ type: 'finish', ...parts }))
const pause = fc.nat({ max: 30_000 }).map((delayMs): ScriptedEvent => ({ type: 'delay', delayMs }))
const last = fc.oneof(
  { weight: 6, arbitrary: finish },
  { weight: 2, arbitrary: failure },
  fc.constantFrom<ScriptedEvent>({ type: 'hang' }, { type: 'throw' }),
)
const step: fc.Arbitrary<ScriptedStep> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 4, arbitrary: text }, { weight: 2, arbitrary: call }, pause), { maxLength: 6 }),
    fc.option(last),
  )
  .map(([events, end]) => ({ events: end === null ? events : [...events, end] }))

test('events of a turn keep their order and it ends exactly once for any model output', async () => {
  const scripts = fc.record({
    main: fc.array(step, { maxLength: 12 }),
    second: fc.array(step, { maxLength: 3 }),
    fallbackMessage: fc.constantFrom(null, 'Sorry.', ' '),
    hasMessage: fc.boolean(),
    cancelMs: fc.option(fc.nat({ max: 60_000 })),
  })
  await fc.assert(
    fc.asyncProperty(scripts, async ({ main, second, fallbackMessage, hasMessage, cancelMs }) => {
      const time = createManualClock()
      const spoken = hasMessage
        ? ({
            speak_during_execution: true,
            execution_message_type: 'static_text',
            execution_message_description: 'Wait.',
          } as const)
        : {}
      const parameters = { type: 'object', properties: { n: { type: 'number' } } }
      const http = createScriptedHttpTools({ book: Array.from({ length: 30 }, () => createHttpOutcome({ n: 1 })) })
      const scenario = startScenario({
        time,
        http,
        models: {
          main: createScriptedModel(main, { clock: time.clock }),
          second: createScriptedModel(second, { clock: time.clock }),
        },
        engine: {
          tools: [
            {
              type: 'custom',
              name: 'book',
              url: 'https://example.com',
              parameters,
              response_variables: { n: 'n' },
              ...spoken,
            },
            { type: 'end_call', name: 'hang_up' },
          ],
        },
        conversation: { fallbackModels: ['second'], fallbackMessage },
      })
      if (cancelMs !== null) time.clock.after(cancelMs, () => scenario.controller.abort())
      await time.advance(3_600_000)
      // Many steps take many microtasks, during which time must not advance.
      for (let round = 0; round < 100 && !scenario.isDone(); round += 1) await time.advance(1_000)
      expect(scenario.isDone()).toBe(true)
      expect(findTurnGrammarProblem(scenario.events, scenario.controller.signal.aborted)).toBeNull()
      expect(time.countPendingTimers()).toBe(0)
      expect(scenario.countListeners()).toBe(0)
    }),
    { numRuns: 300 },
  )
}, 60_000)
