import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createFormParser } from './form-fields.ts'

const readFields = createFormParser(
  z
    .object({
      workspaceId: z.int().optional(),
      name: z.string().max(5),
      note: z.string().nullable().default(''),
      mode: z.enum(['fast', 'slow']).optional(),
      enabled: z
        .boolean()
        .nullable()
        .transform((value) => value ?? false)
        .default(() => false),
      tags: z.array(z.string()).optional(),
      sources: z.array(z.object({ url: z.string() })).default([]),
      limit: z.union([z.int(), z.literal('none')]).optional(),
    })
    .refine(() => true),
)

describe('form field', () => {
  test.each([
    ['a string', 'name', '12', { name: '12' }],
    ['a string that could be JSON', 'note', 'null', { note: 'null' }],
    ['an enum value', 'mode', 'fast', { mode: 'fast' }],
    ['a number', 'workspaceId', '7', { workspaceId: 7 }],
    ['a number in snake case', 'workspace_id', '7', { workspaceId: 7 }],
    ['a flag', 'enabled', 'true', { enabled: true }],
    ['a cleared flag', 'enabled', 'null', { enabled: null }],
    ['a list', 'sources', '[{"url":"https://a.example"}]', { sources: [{ url: 'https://a.example' }] }],
    ['one item of a list', 'sources', '{"url":"https://a.example"}', { sources: [{ url: 'https://a.example' }] }],
    ['one string of a list', 'tags[]', 'a, b', { tags: ['a, b'] }],
    ['strings in a list', 'tags', '["a", "b"]', { tags: ['a', 'b'] }],
    ['the number of a union', 'limit', '3', { limit: 3 }],
    ['the literal of a union', 'limit', 'none', { limit: 'none' }],
    ['an unknown field', 'colour', 'red', { colour: 'red' }],
  ])('is read as %s', (_name, name, value, body) => {
    expect(readFields([{ name, value }])).toEqual({ body, problems: [] })
  })

  test('forms a list when repeated', () => {
    const fields = ['a', '["b","c"]', 'd'].map((value) => ({ name: 'tags', value }))
    expect(readFields(fields).body).toEqual({ tags: ['a', 'b', 'c', 'd'] })
  })

  test('is a problem with invalid JSON or when repeated', () => {
    const fields = [
      { name: 'sources', value: '[{' },
      { name: 'enabled', value: 'yes' },
      { name: 'name', value: 'a' },
      { name: 'name', value: 'b' },
    ]
    expect(readFields(fields).problems.map(({ path }) => path)).toEqual(['sources', 'enabled', 'name'])
  })

  test('cannot reach a prototype', () => {
    const { body } = readFields([{ name: '__proto__', value: '{"polluted":true}' }])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(Object.keys(body)).toEqual(['__proto__'])
  })
})
