import { operationTable } from '@parley/contract/operation-table'
import { expect, test } from 'vitest'
import { readAuditSearch, toAuditQuery } from './audit-search.ts'
import { listTargetIds } from './audit-targets.ts'
import { getOperationLabel, OPERATION_LABELS } from './operation-labels.ts'

test('reads filters from the URL and drops invalid values', () => {
  const search = { userId: 'user_1', operation: 'createToken', from: '2026-11-01', to: '2026-11-20', scope: 'all' }
  expect(readAuditSearch(search)).toEqual(search)
  expect(readAuditSearch({ userId: '', operation: ' ', from: '2026-13-41', of: 'nobody', page: 1 })).toEqual({})
})

test('converts days to their first and last instants in the local time zone', () => {
  expect(toAuditQuery({ from: '2026-11-01', to: '2026-11-20' })).toEqual({
    startDate: new Date(2026, 10, 1).toISOString(),
    endDate: new Date(2026, 10, 20, 23, 59, 59, 999).toISOString(),
  })
})

test('omits the workspace when the scope is all workspaces', () => {
  expect(toAuditQuery({ scope: 'all' })).toHaveProperty('workspaceId', undefined)
  expect(toAuditQuery({})).not.toHaveProperty('workspaceId')
})

test.each([
  [{}, []],
  [{ workspaceId: '1' }, [['workspaceId', '1']]],
  [{ workspaceId: '1', userId: 'user_1' }, [['userId', 'user_1']]],
  [
    { knowledgeBaseId: 'kb_1', sourceId: 'source_1' },
    [
      ['sourceId', 'source_1'],
      ['knowledgeBaseId', 'kb_1'],
    ],
  ],
])('lists the targets of %j as %j', (target, targets) => expect(listTargetIds(target)).toEqual(targets))

test.each([
  ['createToken', 'Create API token'],
  ['listTurns', 'List turns'],
])('%s is labeled "%s"', (operation, label) => expect(getOperationLabel(operation)).toBe(label))

test('labels every operation that changes records', () => {
  const writeOperations = Object.entries(operationTable).filter(([, [method]]) => method !== 'GET')
  expect(writeOperations.map(([name]) => name).filter((name) => !(name in OPERATION_LABELS))).toEqual([])
})
