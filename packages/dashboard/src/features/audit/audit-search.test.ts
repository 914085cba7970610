import { expect, test } from 'vitest'
import { auditQuery, readAuditSearch } from './audit-search.ts'

test('an address keeps what can be filtered by and nothing else', () => {
  const search = { userId: 'user_1', operation: 'createToken', from: '2026-11-01', to: '2026-11-20', of: 'all' }
  expect(readAuditSearch(search)).toEqual(search)
  expect(readAuditSearch({ userId: '', operation: 3, from: 'soon', of: 'nobody', page: 1 })).toEqual({})
})

test('days count from their first to their last moment where the person is', () => {
  expect(auditQuery({ from: '2026-11-01', to: '2026-11-20' })).toEqual({
    startDate: new Date(2026, 10, 1).toISOString(),
    endDate: new Date(2026, 10, 20, 23, 59, 59, 999).toISOString(),
  })
})

test('a day that does not exist is not asked for', () => {
  expect(auditQuery({ from: '2026-13-41' })).toEqual({})
})

test('everything that one administers is asked for without the workspace of the page', () => {
  expect(auditQuery({ of: 'all' })).toHaveProperty('workspaceId', undefined)
  expect(auditQuery({})).not.toHaveProperty('workspaceId')
})
