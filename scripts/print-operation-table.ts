/** Prints what clients need to know of every operation, without its schemas: `packages/contract/src/operation-table.ts`. */
import { operations } from '@parley/contract/index'
import { printOperationTable } from './reference/operation-table.ts'

process.stdout.write(printOperationTable(Object.values(operations)))
