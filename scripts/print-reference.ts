import { operations } from '@parley/contract/index'
import { printReference } from '@parley/contract/reference/print-reference'

/**
 * Prints the API reference as Markdown: `node scripts/print-reference.ts`. A running server provides the same page at
 * `/api-reference.md`.
 */
process.stdout.write(printReference(Object.values(operations)))
