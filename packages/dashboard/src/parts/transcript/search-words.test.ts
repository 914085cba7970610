import { expect, test } from 'vitest'
import { countIn, dayIn, daysToInstants, textIn, withoutEmpty, wordIn } from './search-words.ts'

test('what an address says is read; what means nothing is left out', () => {
  expect([textIn('Ada'), textIn(42), textIn('  '), textIn({ a: 1 }), textIn(undefined)]).toEqual([
    'Ada',
    '42',
    undefined,
    undefined,
    undefined,
  ])
  expect(textIn('x'.repeat(500))).toHaveLength(200)
  expect([wordIn('ended', ['ended', 'error']), wordIn('gone', ['ended']), wordIn(7, ['ended'])]).toEqual([
    'ended',
    undefined,
    undefined,
  ])
  expect([countIn(3), countIn('3'), countIn(0), countIn(1.5), countIn('x'), countIn(9e12)]).toEqual([
    3,
    3,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect([dayIn('2026-02-28'), dayIn('2026-02-30'), dayIn('2026-2-1'), dayIn(20260101)]).toEqual([
    '2026-02-28',
    undefined,
    undefined,
    undefined,
  ])
  expect(withoutEmpty({ agent: 'agent_1', page: undefined })).toEqual({ agent: 'agent_1' })
})

test('days last from their first to their last instant where the person is', () => {
  const { startDate = '', endDate = '' } = daysToInstants('2026-11-23', '2026-11-24')
  expect(new Date(startDate).getDate()).toBe(23)
  expect(new Date(startDate).getHours()).toBe(0)
  expect(new Date(endDate).getDate()).toBe(24)
  expect(new Date(Date.parse(endDate) + 1).getHours()).toBe(0)
  expect(daysToInstants(undefined, undefined)).toEqual({})
})
