import fc from 'fast-check'
import { expect, test } from 'vitest'
import { problemsOf, type RandomCall, randomCall } from './random-call-test-kit.ts'

test('whatever happens in a call, its turns keep to the rules', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(randomCall, (call) => {
      const problems = problemsOf(call)
      if (problems.length > 0) throw new Error(problems.slice(0, 3).join('\n'))
    }),
    { numRuns: 2_000 },
  )
})

/** An answer ends without a word while the agent is paused in the middle of its own "mhm", and words come after it. */
const ENDED_IN_A_PAUSE: RandomCall = {
  actions: [
    { kind: 14, gapMs: 0, a: 0, b: 0 },
    { kind: 18, gapMs: 1_964, a: 0, b: 0 },
    { kind: 0, gapMs: 5_762, a: 321, b: 166 },
    { kind: 0, gapMs: 974, a: 644, b: 0 },
    { kind: 19, gapMs: 860, a: 0, b: 0 },
    { kind: 0, gapMs: 492, a: 0, b: 622 },
    { kind: 10, gapMs: 382, a: 752, b: 0 },
    { kind: 10, gapMs: 5, a: 238, b: 0 },
    { kind: 0, gapMs: 1_187, a: 290, b: 0 },
  ],
  settings: {
    interruptionAfterMs: 200,
    interruptible: true,
    transcriberP99Ms: 350,
    cancelsEcho: false,
    reminderMaxCount: 0,
    responsivenessFactor: 0.5,
    beginMessageDelayMs: 0,
    beginAfterUserSilenceMs: null,
    allowDtmfInterruption: false,
    backchannel: { frequency: 0.8, words: [] },
    endCallAfterSilenceMs: 60_000,
  },
  opening: { type: 'listen' },
  seed: 434_732_606,
}

test('a pause ends although the answer that it was made for has ended without a word', () => {
  expect(problemsOf(ENDED_IN_A_PAUSE)).toEqual([])
})

/** An answer is taken away by words that are taken back, something was injected meanwhile, and its answer fails. */
const PENDING_AFTER_INJECTION: RandomCall = {
  actions: [
    { kind: 0, gapMs: 0, a: 0, b: 55 },
    { kind: 0, gapMs: 0, a: 438, b: 377 },
    { kind: 19, gapMs: 700, a: 0, b: 0 },
  ],
  settings: { ...ENDED_IN_A_PAUSE.settings, backchannel: null },
  opening: { type: 'say', text: 'Hello.' },
  seed: 2_040_538_731,
}

test('a turn is answered although something was injected after its answer was taken away for nothing', () => {
  expect(problemsOf(PENDING_AFTER_INJECTION)).toEqual([])
})
