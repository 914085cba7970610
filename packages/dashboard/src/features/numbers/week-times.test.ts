import { expect, test } from 'vitest'
import { dayNames, moveEntry, OFFERED_TIMES, overlap, readTime, type TimeWindow, toggleDay } from './week-times.ts'

const office: TimeWindow = {
  days: ['mon', 'tue'],
  start: '08:00',
  end: '18:00',
  agent_id: 'agent_a',
  agent_version: null,
}

test.each([
  ['8', '08:00'],
  ['18', '18:00'],
  ['830', '08:30'],
  ['1830', '18:30'],
  ['8:30', '08:30'],
  ['8.30', '08:30'],
  ['17:5', '17:05'],
  [' 24:00 ', '24:00'],
  ['noon', 'noon'],
  ['', ''],
])('"%s" is the time "%s"', (typed, time) => expect(readTime(typed)).toBe(time))

test('days come in the order of the week', () => {
  expect(toggleDay(['fri'], 'mon')).toEqual(['mon', 'fri'])
  expect(toggleDay(['mon', 'fri'], 'mon')).toEqual(['fri'])
})

test('days have the names of the language', () => {
  expect(dayNames('en', 'long').mon).toBe('Monday')
  expect(dayNames('de', 'short').sun).toBe('So')
})

test('times are offered until the end of the day', () => {
  expect(OFFERED_TIMES.at(0)).toBe('00:00')
  expect(OFFERED_TIMES.at(17)).toBe('08:30')
  expect(OFFERED_TIMES.at(-1)).toBe('24:00')
})

test.each([
  [{ days: ['tue'], start: '17:00', end: '20:00' }, true],
  [{ days: ['tue'], start: '18:00', end: '20:00' }, false],
  [{ days: ['wed'], start: '08:00', end: '18:00' }, false],
] as const)('whether office hours overlap %j: %s', (other, does) =>
  expect(overlap(office, { ...office, ...other, days: [...other.days] })).toBe(does),
)

test('an entry moves by one place and stays in the list', () => {
  expect(moveEntry(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c'])
  expect(moveEntry(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b'])
  expect(moveEntry(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c'])
})
