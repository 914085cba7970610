import { expect, test } from 'vitest'
import { calculateExpiresAt, isExpiryComplete } from './expiry.ts'

const NOW_MS = Date.parse('2026-11-20T12:00:00.000Z')

test.each([
  ['never', '', null, true],
  ['30', '', '2026-12-20T12:00:00.000Z', true],
  ['date', '2026-12-24', new Date(2026, 11, 24, 23, 59, 59).toISOString(), true],
  ['date', '', null, false],
  ['date', '2026-13-40', null, false],
  ['date', 'soon', null, false],
] as const)('"%s" with the day "%s" expires at %s', (expiry, day, expiresAt, isComplete) => {
  expect(calculateExpiresAt(expiry, day, NOW_MS)).toBe(expiresAt)
  expect(isExpiryComplete(expiry, day)).toBe(isComplete)
})
