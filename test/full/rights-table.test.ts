import { operations } from '@parley/contract/index'
import type { Operation } from '@parley/contract/operation'
import { describe, expect, test } from 'vitest'
import { ID_NAMES, type KnownIds } from './known-ids.ts'
import { RIGHTS_TABLE } from './rights-table.ts'
import { validBodyFor, validPathValue } from './valid-request-parts.ts'

const ALL: readonly Operation[] = Object.values(operations)
const IDS: KnownIds = {
  workspaceId: 1,
  values: Object.fromEntries(ID_NAMES.map((name) => [name, `${name.toLowerCase()}`])) as KnownIds['values'],
}

test('the table of rights names exactly the operations of the contract', () => {
  const contract = ALL.map(({ name, access, workspace }) => [name, { row: access, workspace }])
  expect(RIGHTS_TABLE).toEqual(Object.fromEntries(contract))
})

describe.for(ALL)('$name', (operation) => {
  test('has a valid request', () => {
    for (const [, name = ''] of operation.path.matchAll(/\{(\w+)\}/g)) {
      expect(validPathValue(operation, name, IDS), name).toEqual(expect.any(String))
    }
    const { body } = operation
    if (body !== undefined) expect(body.safeParse(validBodyFor(operation, IDS)).error).toBeUndefined()
  })
})
