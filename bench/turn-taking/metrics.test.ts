import { expect, test } from 'vitest'
import { measureAll } from './metrics.ts'
import type { Outcome } from './run-scenarios.ts'

function createOutcome(fields: Partial<Outcome>): Outcome {
  const unknown = {
    wasSilent: false,
    gapMs: null,
    loweredMs: null,
    yieldMs: null,
    gaveUp: null,
    cutIn: null,
    responseMs: null,
    stallMs: 0,
  }
  const call = {
    id: 'call',
    kind: 'backchannel',
    condition: 'clean',
    source: '',
    rateHz: 16_000,
    problem: null,
    isUnanswered: false,
  } as const
  return { ...call, ...unknown, ...fields }
}

const findResult = (outcomes: readonly Outcome[], name: string) =>
  measureAll(outcomes).find((result) => result.name === name)

test('an interruption that the agent ignores counts as endless', () => {
  const outcomes = [300, 500, null].map((yieldMs) => createOutcome({ kind: 'interruption', yieldMs }))
  expect(findResult(outcomes, 'interruption: yields p50')).toMatchObject({ value: 500, isMet: false })
  expect(findResult(outcomes, '– p95')?.value).toBe(Number.POSITIVE_INFINITY)
  expect(findResult(outcomes, '– within 900 ms')).toMatchObject({ value: 2 / 3, isMet: false })
})

test('an agent that was silent already did not yield', () => {
  const outcomes = [
    createOutcome({ kind: 'interruption', yieldMs: 400 }),
    createOutcome({ kind: 'interruption', yieldMs: 0, wasSilent: true }),
  ]
  expect(findResult(outcomes, 'interruption: yields p50')).toMatchObject({ value: 400, isMet: true })
  expect(findResult(outcomes, 'agent silent before the event')?.value).toBe(0.5)
})

test('calls that could not be judged, and kinds without calls, have no figures', () => {
  const outcomes = [
    createOutcome({ gapMs: 0 }),
    createOutcome({ problem: 'The call ended.' }),
    createOutcome({ isUnanswered: true }),
    createOutcome({ kind: 'pause', condition: '1000 ms', cutIn: true }),
  ]
  expect(findResult(outcomes, 'backchannel: no gap')).toMatchObject({ value: 1, isMet: true })
  expect(findResult(outcomes, 'agent did not speak within 8 s')?.value).toBe(1 / 3)
  expect(findResult(outcomes, 'pause of 1.0 s: cut into')).toMatchObject({ value: 1, isMet: false })
  expect(findResult(outcomes, 'pause of 0.5 s: cut into')).toMatchObject({ value: null, isMet: null })
})
