import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { operations } from './index.ts'
import type { Operation } from './operation.ts'
import { createArbitrary, type FieldValues } from './testing/schema-arbitrary.ts'

const SAMPLES_PER_SCHEMA = 15

/** Two fields are transformed: date-times become milliseconds, and edges without an ID get an empty ID. */
const NORMALIZED_FIELD_VALUES: FieldValues = (name, { _zod: { optin } }) => {
  if (name === 'expiresAt' && optin === 'optional') return fc.constant(null)
  return name === 'id' && optin === 'optional' ? fc.string({ minLength: 1, maxLength: 3 }) : undefined
}

const schemas = Object.values<Operation>(operations).flatMap(({ name, body, result }) =>
  Object.entries({ body, result }).flatMap(([part, schema]): [string, z.ZodType][] =>
    schema === undefined ? [] : [[`${part} of ${name}`, schema]],
  ),
)

describe('parsing a parsed value does not change it', () => {
  test.each(schemas)('%s', (_name, schema) => {
    fc.assert(
      fc.property(createArbitrary(schema, NORMALIZED_FIELD_VALUES), (given) => {
        const once = schema.parse(given)
        expect(schema.parse(JSON.parse(JSON.stringify(once)))).toEqual(once)
      }),
      { numRuns: SAMPLES_PER_SCHEMA },
    )
  })
})
