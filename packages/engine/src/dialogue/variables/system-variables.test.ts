import { describe, expect, test } from 'vitest'
import { createSystemVariables, describeDuration } from './system-variables.ts'

const nowMs = Date.UTC(2026, 2, 20, 22, 30, 5)
const inZone = (timezone: string) => createSystemVariables({ nowMs, timezone, session: { chat_id: 'chat_1' } })

describe('systemVariables', () => {
  test('tells time and hour in the zone of the conversation', () => {
    expect(inZone('UTC')('current_time')).toBe('Friday, March 20, 2026 at 10:30:05 PM UTC')
    expect(inZone('UTC')('current_hour')).toBe('22')
    expect(inZone('Asia/Tokyo')('current_hour')).toBe('7')
    expect(inZone('Europe/London')('current_hour')).toBe('22')
  })

  test('takes a zone that does not exist for UTC, but leaves it unset in a name', () => {
    expect(inZone('Mars/Base')('current_hour')).toBe('22')
    expect(inZone('')('current_hour')).toBe('22')
    expect(inZone('UTC')('current_time_Mars/Base')).toBeUndefined()
    expect(inZone('UTC')('current_time_Asia/Tokyo')).toContain('Saturday, March 21, 2026 at 07:30:05 AM')
  })

  test('lists 14 different days, also where clocks change', () => {
    const days = inZone('Europe/Berlin')('current_calendar')?.split('\n') ?? []
    expect(days).toHaveLength(14)
    expect(new Set(days).size).toBe(14)
    expect(days[0]).toBe('Friday, March 20, 2026 (today)')
    expect(days[13]).toBe('Thursday, April 2, 2026')
  })

  test('passes on what the driver knows and nothing else', () => {
    expect(inZone('UTC')('chat_id')).toBe('chat_1')
    expect(inZone('UTC')('call_id')).toBeUndefined()
    expect(inZone('UTC')('constructor')).toBeUndefined()
  })
})

test.each([
  [0, '0 seconds'],
  [-5, '0 seconds'],
  [61_500, '1 minute 1 second'],
  [7_205_000, '2 hours 5 seconds'],
])('describeDuration(%d)', (durationMs, words) => {
  expect(describeDuration(durationMs)).toBe(words)
})
