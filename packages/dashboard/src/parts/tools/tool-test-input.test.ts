import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildSampleArguments, toTestInput } from './tool-test-input.ts'

test('starts with sample arguments and the variables of the tool', () => {
  const tool = {
    type: 'custom',
    url: 'https://example.com/{{order}}',
    headers: { 'x-key': '{{key | none}}' },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  }
  const { argumentsText, variables } = toTestInput(tool, { key: 'secret', other: 'x' })
  expect(JSON.parse(argumentsText)).toEqual({ city: 'text' })
  expect(variables).toEqual({ order: '', key: 'secret', other: 'x' })
})

test('includes the variables that the code reads', () => {
  const code = 'const a = dv.price * 2\nreturn dv["people"] + dv[\'day\'] + advice.x'
  expect(toTestInput({ type: 'code', code }, {}).variables).toEqual({ price: '', people: '', day: '' })
})

const buildArguments = (properties: object) =>
  buildSampleArguments({ type: 'custom', parameters: { type: 'object', properties } })

describe('sample arguments', () => {
  test('match the types of the schema', () => {
    const sampleArguments = buildArguments({
      city: { type: 'string' },
      day: { type: 'string', format: 'date' },
      people: { type: 'integer', minimum: 2 },
      outside: { type: ['null', 'boolean'] },
      dishes: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    })
    expect(sampleArguments).toEqual({
      city: 'text',
      day: '2030-01-31',
      people: 2,
      outside: true,
      dishes: [{ name: 'text' }],
    })
  })

  test('use the values of the schema', () => {
    const schemas = {
      a: { type: 'string', enum: ['small', 'large'] },
      b: { type: 'number', default: 7 },
      c: { type: 'string', examples: ['Ada'] },
      d: { anyOf: [{ type: 'boolean' }, { type: 'string' }] },
      e: { const: 'x' },
    }
    expect(buildArguments(schemas)).toEqual({ a: 'small', b: 7, c: 'Ada', d: true, e: 'x' })
  })

  test('of an extraction tool are sample values of its variables', () => {
    const variables = [
      { type: 'string', name: 'name', examples: ['Ada'] },
      { type: 'enum', name: 'size', choices: ['s', 'm'] },
      { type: 'number', name: 'age' },
      { type: 'boolean', name: 'adult' },
    ]
    expect(buildSampleArguments({ type: 'extract_dynamic_variable', variables })).toEqual({
      name: 'Ada',
      size: 's',
      age: 1,
      adult: true,
    })
  })

  test('are always an object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (schema) => {
        const parameters = JSON.parse(JSON.stringify(schema))
        expect(buildSampleArguments({ type: 'custom', parameters })).toBeTypeOf('object')
      }),
    )
  })

  test('are limited for deeply nested schemas', () => {
    const deepSchema = Array.from({ length: 50 }).reduce<object>(
      (child) => ({ type: 'object', properties: { child } }),
      {},
    )
    expect(JSON.stringify(buildSampleArguments({ type: 'custom', parameters: deepSchema })).length).toBeLessThan(200)
  })
})
