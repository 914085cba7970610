import type { CallEvent } from '@parley/contract/call-event'
import { expect, test } from 'vitest'
import { addEvent, isWhole } from './live-events.ts'

const event = (position: number): CallEvent => ({ position, atMs: 0, at: '', type: 'call-started' })

test('a stream that begins again tells nothing twice', () => {
  const once = [0, 1, 2].map(event).reduce(addEvent, [] as readonly CallEvent[])
  const again = [0, 1, 2, 3].map(event).reduce(addEvent, once)
  expect(again.map(({ position }) => position)).toEqual([0, 1, 2, 3])
})

test('a stream that ended before its call did was cut', () => {
  expect(isWhole([])).toBe(false)
  expect(isWhole([event(0)])).toBe(false)
  expect(isWhole([event(0), { position: 1, atMs: 9, at: '', type: 'call-ended', reason: 'user_hangup' }])).toBe(true)
})
