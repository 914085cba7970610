import { readFileSync } from 'node:fs'
import { operations } from '@parley/contract/index'
import { expect, test } from 'vitest'
import { printOperationTable } from '../scripts/reference/operation-table.ts'

const FILE = new URL('../packages/contract/src/operation-table.ts', import.meta.url)

test('the table of operations is what the contract prints', () => {
  const isCurrent = readFileSync(FILE, 'utf8') === printOperationTable(Object.values(operations))
  expect(isCurrent, 'run: node scripts/print-operation-table.ts > packages/contract/src/operation-table.ts').toBe(true)
})
