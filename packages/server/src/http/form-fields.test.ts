import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createFieldReader } from './form-fields.ts'

const read = createFieldReader(
  z
    .object({
      workspaceId: z.int().optional(),
      name: z.string().max(5),
      note: z.string().nullable().default(''),
      mode: z.enum(['fast', 'slow']).optional(),
      enabled: z
        .boolean()
        .nullable()
        .transform((given) => given ?? false)
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
    ['a word', 'mode', 'fast', { mode: 'fast' }],
    ['a number', 'workspaceId', '7', { workspaceId: 7 }],
    ['a number in snake case', 'workspace_id', '7', { workspaceId: 7 }],
    ['a flag', 'enabled', 'true', { enabled: true }],
    ['a cleared flag', 'enabled', 'null', { enabled: null }],
    ['a list', 'sources', '[{"url":"https://a.example"}]', { sources: [{ url: 'https://a.example' }] }],
    ['one item of a list', 'sources', '{"url":"https://a.example"}', { sources: [{ url: 'https://a.example' }] }],
    ['one word of a list', 'tags[]', 'a, b', { tags: ['a, b'] }],
    ['words in a list', 'tags', '["a", "b"]', { tags: ['a', 'b'] }],
    ['a number or a word: the number', 'limit', '3', { limit: 3 }],
    ['a number or a word: the word', 'limit', 'none', { limit: 'none' }],
    ['an unknown one', 'colour', 'red', { colour: 'red' }],
  ])('is read as %s', (_name, name, value, body) => {
    expect(read([{ name, value }])).toEqual({ body, problems: [] })
  })

  test('forms a list when repeated', () => {
    const fields = ['a', '["b","c"]', 'd'].map((value) => ({ name: 'tags', value }))
    expect(read(fields).body).toEqual({ tags: ['a', 'b', 'c', 'd'] })
  })

  test('with invalid JSON or repeated is a problem', () => {
    const fields = [
      { name: 'sources', value: '[{' },
      { name: 'enabled', value: 'yes' },
      { name: 'name', value: 'a' },
      { name: 'name', value: 'b' },
    ]
    expect(read(fields).problems.map(({ path }) => path)).toEqual(['sources', 'enabled', 'name'])
  })

  test('cannot reach a prototype', () => {
    const { body } = read([{ name: '__proto__', value: '{"polluted":true}' }])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(Object.keys(body)).toEqual(['__proto__'])
  })
})
