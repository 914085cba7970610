import { operations } from '@parley/contract/index'
import { openApiDocument } from '@parley/contract/openapi'

/** Prints the API description, for linters and generators. */
process.stdout.write(`${JSON.stringify(openApiDocument(Object.values(operations)), null, 2)}\n`)
