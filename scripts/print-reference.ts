import { operations } from '@parley/contract/index'
import { printReference } from './reference/print-document.ts'

/** Prints the reference of the API as Markdown: `node scripts/print-reference.ts > docs/reference/api.md`. */
process.stdout.write(printReference(Object.values(operations)))
