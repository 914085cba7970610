import { expect, test } from 'vitest'
import { isFiltered, readCallFilter, toHistoryQuery } from './call-filter.ts'

test('a filter is read out of the address, and nonsense left out', () => {
  const filter = readCallFilter({
    agent: 'agent_1',
    version: '3',
    status: 'error',
    from: '2026-11-01',
    to: 'soon',
    search: 4915,
    archived: true,
    parts: 'yes',
    page: 2,
    other: 1,
  })
  expect(filter).toEqual({
    agent: 'agent_1',
    version: 3,
    status: 'error',
    from: '2026-11-01',
    search: '4915',
    archived: true,
    page: 2,
  })
  expect(readCallFilter({ page: 1, status: 'gone', version: -1 })).toEqual({})
})

test('a page alone is no filter', () => {
  expect(isFiltered({ page: 4 })).toBe(false)
  expect(isFiltered({ archived: true })).toBe(true)
})

test('the server is asked for what the filter says', () => {
  expect(toHistoryQuery({ agent: 'agent_1', search: '+1', archived: true, page: 3 })).toEqual({
    agentId: 'agent_1',
    search: '+1',
    includeArchived: true,
    page: 3,
    limit: 100,
  })
  expect(toHistoryQuery({ to: '2026-11-24' }, 7)).toMatchObject({ page: 7, endDate: expect.stringMatching(/\.999Z$/) })
})
