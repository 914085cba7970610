import { expect, test } from 'vitest'
import { expiresAtOf, isExpiryComplete } from './expiry.ts'

const NOW_MS = Date.parse('2026-11-20T12:00:00.000Z')

test('a token that never expires has no time', () => {
  expect(expiresAtOf('never', '', NOW_MS)).toBeNull()
  expect(isExpiryComplete('never', '')).toBe(true)
})

test('days count from now', () => {
  expect(expiresAtOf('30', '', NOW_MS)).toBe('2026-12-20T12:00:00.000Z')
  expect(isExpiryComplete('30', '')).toBe(true)
})

test('a day counts to its last second, where the person is', () => {
  expect(expiresAtOf('date', '2026-12-24', NOW_MS)).toBe(new Date(2026, 11, 24, 23, 59, 59).toISOString())
})

test.each(['', '2026-13-40', 'soon'])('the day "%s" is none', (day) => {
  expect(expiresAtOf('date', day, NOW_MS)).toBeNull()
  expect(isExpiryComplete('date', day)).toBe(false)
})
