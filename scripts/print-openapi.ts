import { operations } from '@parley/contract/index'
import { buildOpenApiDocument } from '@parley/contract/openapi'

/** Prints the OpenAPI document for linters and generators. */
process.stdout.write(`${JSON.stringify(buildOpenApiDocument(Object.values(operations)), null, 2)}\n`)
