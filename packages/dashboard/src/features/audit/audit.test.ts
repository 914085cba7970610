import { operationTable } from '@parley/contract/operation-table'
import { expect, test } from 'vitest'
import { readAuditSearch, toAuditQuery } from './audit-search.ts'
import { listTargets } from './audit-targets.ts'
import { getOperationLabel, OPERATION_LABELS } from './operation-labels.ts'

test('filters are read from the address without invalid values', () => {
  const search = { userId: 'user_1', operation: 'createToken', from: '2026-11-01', to: '2026-11-20', of: 'all' }
  expect(readAuditSearch(search)).toEqual(search)
  expect(readAuditSearch({ userId: '', operation: ' ', from: '2026-13-41', of: 'nobody', page: 1 })).toEqual({})
})

test('days count from their first to their last moment in the zone of the browser', () => {
  expect(toAuditQuery({ from: '2026-11-01', to: '2026-11-20' })).toEqual({
    startDate: new Date(2026, 10, 1).toISOString(),
    endDate: new Date(2026, 10, 20, 23, 59, 59, 999).toISOString(),
  })
})

test('all workspaces are read without the workspace of the page', () => {
  expect(toAuditQuery({ of: 'all' })).toHaveProperty('workspaceId', undefined)
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
])('of %j the targets are %j', (target, targets) => expect(listTargets(target)).toEqual(targets))

test.each([
  ['createToken', 'Create API token'],
  ['listTurns', 'List turns'],
])('%s is labeled "%s"', (operation, label) => expect(getOperationLabel(operation)).toBe(label))

test('every operation that changes something has a label', () => {
  const changing = Object.entries(operationTable).filter(([, [method]]) => method !== 'GET')
  expect(changing.map(([name]) => name).filter((name) => !(name in OPERATION_LABELS))).toEqual([])
})
