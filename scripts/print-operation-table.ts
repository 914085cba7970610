/** Prints the client-relevant part of every operation, without schemas: `packages/contract/src/operation-table.ts`. */
import { operations } from '@parley/contract/index'
import { printOperationTable } from './reference/operation-table.ts'

process.stdout.write(printOperationTable(Object.values(operations)))
