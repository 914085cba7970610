import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../ports.ts'
import { createSafePattern } from './safe-pattern.ts'
import { parseToolArguments } from './tool-arguments.ts'

const schema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    city: { type: 'string' },
    unit: { enum: ['c', 'f'] },
    day: { type: 'object', properties: { date: { type: 'string', format: 'date' } }, required: ['date'] },
  },
  required: ['city'],
  additionalProperties: false,
}

describe('parseToolArguments', () => {
  test('accepts valid arguments', () => {
    expect(parseToolArguments('{"city":"Rome","day":{"date":"soon"}}', schema)).toEqual({
      valid: true,
      args: { city: 'Rome', day: { date: 'soon' } },
    })
    expect(parseToolArguments('  ', { type: 'object' })).toEqual({ valid: true, args: {} })
  })

  test.each([
    ['', 'city'],
    ['{"city":', 'JSON object'],
    ['[]', 'JSON object'],
    ['null', 'JSON object'],
    ['{"city":1}', 'city must be string'],
    ['{"city":"x","unit":"k"}', '"c", "f"'],
    ['{"city":"x","day":{}}', 'day must have required property'],
    ['{"city":"x","extra":1}', 'extra'],
  ])('refuses %s with a reason', (argumentsText, reason) => {
    const parsed = parseToolArguments(argumentsText, schema)
    expect(parsed).toEqual({ valid: false, problem: expect.stringContaining(reason) })
  })

  test.each<[string, JsonObject]>([
    ['a broken schema', { type: 'object', properties: { a: { type: 'nonsense' } } }],
    ['a remote reference', { type: 'object', properties: { a: { $ref: 'https://example.com/schema.json' } } }],
    ['an asynchronous schema', { $async: true, type: 'object', required: ['a'] }],
  ])('accepts any object with %s', (_name, broken) => {
    expect(parseToolArguments('{"b":1}', broken)).toEqual({ valid: true, args: { b: 1 } })
    expect(parseToolArguments('[1]', broken).valid).toBe(false)
  })

  test('two schemas may have the same $id', () => {
    const one = { $id: 'same', type: 'object', required: ['a'] }
    const two = { $id: 'same', type: 'object', required: ['b'] }
    expect(parseToolArguments('{"a":1}', one).valid).toBe(true)
    expect(parseToolArguments('{"a":1}', two).valid).toBe(false)
  })

  test('limits the text of many problems', () => {
    const parsed = parseToolArguments(
      JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, key) => [`k${key}`, 1]))),
      {
        type: 'object',
        additionalProperties: false,
      },
    )
    expect(parsed.valid ? 0 : parsed.problem.length).toBeLessThan(2_000)
  })

  test('accepts everything for a pattern that could stall the process', () => {
    const hostile: JsonObject = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    expect(parseToolArguments(JSON.stringify({ a: `${'a'.repeat(200)}!` }), hostile).valid).toBe(true)
  })
})

describe('createSafePattern', () => {
  test.each([
    ['^\\+?[0-9]{10,15}$', '+4930123456', true],
    ['^\\+?[0-9]{10,15}$', 'abc', false],
    ['^[^@ ]+@[^@ ]+\\.[a-z]+$', 'nobody', false],
    ['^([0-9a-f]{4}-){3}[0-9a-f]{4}$', 'zzzz', false],
    ['(x+x+)+y', 'xxxx', true],
    ['a*b*c*d*e*$', 'zzz', true],
    ['(', 'anything', true],
  ])('%s on %s', (pattern, text, accepted) => {
    expect(createSafePattern(pattern, 'u').test(text)).toBe(accepted)
  })
})
