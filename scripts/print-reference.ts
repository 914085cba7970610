import { operations } from '@parley/contract/index'
import { printReference } from '@parley/contract/reference/print-reference'

/** Prints the reference of the API as Markdown: `node scripts/print-reference.ts`. A running server answers it at `/api-reference.md`. */
process.stdout.write(printReference(Object.values(operations)))
