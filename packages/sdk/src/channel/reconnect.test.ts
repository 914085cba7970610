import { expect, test } from 'vitest'
import { backoffBeforeAttempt, RECONNECT_WITHIN_MS } from './reconnect.ts'

test('pauses grow, and attempts end when the call has waited long enough', () => {
  const pauses: number[] = []
  let sinceMs = 0
  for (let attempt = 0; ; attempt += 1) {
    const backoffMs = backoffBeforeAttempt(attempt, sinceMs)
    if (backoffMs === null) break
    pauses.push(backoffMs)
    sinceMs += backoffMs
  }
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 1_250])
  expect(sinceMs).toBe(RECONNECT_WITHIN_MS)
})
