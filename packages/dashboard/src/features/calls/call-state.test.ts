import { expect, test } from 'vitest'
import { readAgainMs, type ShownCall } from './call-state.ts'

const call = (changes: Partial<ShownCall>) =>
  ({ status: 'ended', endedAt: null, summary: null, ...changes }) as ShownCall
const endedAt = '2026-11-23T10:00:00.000Z'
const at = (seconds: number): number => Date.parse(endedAt) + seconds * 1_000

test('a call is read again while it lives and until it was analysed', () => {
  expect(readAgainMs(undefined, at(0))).toBe(false)
  expect(readAgainMs(call({ status: 'ongoing' }), at(0))).toBeGreaterThan(0)
  expect(readAgainMs(call({ status: 'registered' }), at(0))).toBeGreaterThan(0)
  expect(readAgainMs(call({ endedAt }), at(10))).toBeGreaterThan(0)
  expect(readAgainMs(call({ endedAt, summary: 'All well.' }), at(10))).toBe(false)
  expect(readAgainMs(call({ endedAt }), at(600))).toBe(false)
  expect(readAgainMs(call({ status: 'not_connected', endedAt }), at(1))).toBe(false)
})
