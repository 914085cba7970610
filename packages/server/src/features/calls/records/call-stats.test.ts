import type { CallEvent } from '@parley/contract/call-event'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeLatency } from './call-stats.ts'

const buildTurn = (totalMs: number, recogniserMs: number | null = null): CallEvent => ({
  type: 'turn',
  position: 0,
  atMs: 0,
  at: '2026-01-05T12:00:00.000Z',
  turnId: 'turn_1',
  decisions: [],
  latency: {
    totalMs,
    endOfTurnMs: 400,
    recogniserMs,
    retrievalMs: null,
    modelFirstTokenMs: -20,
    firstClauseMs: null,
    synthesisFirstAudioMs: null,
    playoutMs: null,
  },
})

test('computes stats for each latency part over measured turns', () => {
  const latency = computeLatency([buildTurn(100), buildTurn(300, 50), buildTurn(200)])
  expect(latency.e2e).toEqual({ p50: 200, p90: 300, p95: 300, p99: 300, min: 100, max: 300, num: 3 })
  expect(latency.recogniser).toMatchObject({ p50: 50, num: 1 })
  expect(latency.model).toMatchObject({ min: -20, num: 3 })
  expect(latency.retrieval).toBeNull()
  expect(computeLatency([]).e2e).toBeNull()
})

test('percentiles are measured values', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 200 }), (values) => {
      const stats = computeLatency(values.map((value) => buildTurn(value))).e2e
      if (stats === null) return false
      const { p50, p90, p95, p99, min, max, num } = stats
      const ordered = [min, p50, p90, p95, p99, max]
      const isMedian = values.filter((value) => value <= p50).length * 2 >= values.length
      return (
        num === values.length &&
        ordered.every((value, index) => values.includes(value) && value >= (ordered[index - 1] ?? 0)) &&
        max === Math.max(...values) &&
        isMedian
      )
    }),
  )
})
