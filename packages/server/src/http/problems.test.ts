import { enumOrDecimal, Variables, VersionSelector } from '@parley/contract/fields'
import { ResponseEngineInput } from '@parley/contract/response-engine'
import { ToolList } from '@parley/contract/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AppError, ConstraintError } from '../kernel/errors.ts'
import {
  buildErrorBody,
  createInvalidRequestError,
  isCallRoute,
  toAppError,
  toErrorDetails,
  toFrameworkAppError,
} from './problems.ts'

function listProblems(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value)
  if (parsed.success) return []
  return toErrorDetails(parsed.error.issues).map(({ path, message }) => `${path}: ${message}`)
}

describe('validation errors', () => {
  test.each<[string, z.ZodType, unknown, string[]]>([
    [
      'an unknown enum value',
      z.object({ responsiveness: enumOrDecimal(['slow', 'fast']) }),
      { responsiveness: 'quick' },
      ['responsiveness: must be "slow", "fast" or a decimal from 0 to 1'],
    ],
    ['a decimal out of range', enumOrDecimal(['slow']), 5, [': must be at most 1']],
    ['neither type of a union', enumOrDecimal(['slow']), true, [': must be a string, or must be a number']],
    [
      'an unknown discriminator',
      z.object({ response_engine: ResponseEngineInput }),
      { response_engine: { type: 'x' } },
      [
        'response_engine.type: must be one of "llm", "retell-llm", "retell_llm", "conversation-flow", ' +
          '"conversation_flow", "custom-llm", "custom_llm"',
      ],
    ],
    [
      'a tool that is not an object',
      z.object({ tools: ToolList }),
      { tools: ['end_call'] },
      ['tools[0]: must be an object'],
    ],
    [
      'a tool with a field of the wrong type',
      z.object({ tools: ToolList }),
      { tools: [{ type: 'end_call', name: 7 }] },
      ['tools[0].name: must be a string'],
    ],
    ['an invalid version', VersionSelector, 'abc', [': must be an integer >= 1, "latest" or "active"']],
    ['a missing field', z.object({ a: z.string() }), {}, ['a: is required and must be a string']],
    ['a body of the wrong type', z.object({ a: z.string() }), [], [': must be an object']],
    ['a fraction', z.object({ a: z.int() }), { a: 1.5 }, ['a: must be an integer']],
    ['an integer out of range', z.object({ a: z.int().min(1) }), { a: 0 }, ['a: must be at least 1']],
    ['a long string', z.string().max(3), 'abcd', [': must have at most 3 characters']],
    ['an empty string', z.string().min(1), '', [': must have at least 1 character']],
    ['a long list', z.array(z.string()).max(1), ['a', 'b'], [': must have at most 1 item']],
    ['an enum', z.enum(['a', 'b']), 'c', [': must be one of "a", "b"']],
    ['a format', z.email(), 'x', [': must be a valid email']],
    ['a boolean', z.boolean(), 'yes', [': must be true or false']],
    [
      'the key of a record',
      z.object({ variables: Variables }),
      { variables: { '': 'x' } },
      ['variables.: key must have at least 1 character'],
    ],
    [
      'the value of a record',
      z.object({ variables: Variables }),
      { variables: { a: [] } },
      ['variables.a: must be a string, or must be a number, or must be true or false'],
    ],
  ])('%s', (_name, schema, value, expected) => {
    expect(listProblems(schema, value)).toEqual(expected)
  })

  test('list all problems with their paths', () => {
    const Body = z.object({
      nodes: z.array(z.object({ id: z.string(), edges: z.array(z.object({ to: z.string() })) })),
    })
    const value = {
      nodes: [
        { id: 1, edges: [] },
        { id: 'a', edges: [{ to: 1 }, {}] },
      ],
    }
    expect(listProblems(Body, value)).toEqual([
      'nodes[0].id: must be a string',
      'nodes[1].edges[0].to: must be a string',
      'nodes[1].edges[1].to: is required and must be a string',
    ])
  })

  test('are limited in number and length', () => {
    const value = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}${'k'.repeat(5_000)}`, 1]))
    const parsed = z.record(z.string(), z.string()).safeParse(value)
    const error = createInvalidRequestError(toErrorDetails(parsed.error?.issues ?? []))
    expect(error.details).toHaveLength(50)
    expect(JSON.stringify(buildErrorBody(error, 'req_1', false)).length).toBeLessThan(25_000)
    expect(error.message).toMatch(/and 199 more/)
  })
})

describe('thrown values', () => {
  test('an AppError stays unchanged', () => {
    const error = new AppError('in_use', 'It is in use.')
    expect(toAppError(error)).toBe(error)
    expect(toFrameworkAppError(error)).toBe(error)
  })

  test('the error for an oversized body contains the limit of the route', () => {
    const error = { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }
    const readMessage = (limits: object) => toFrameworkAppError(error, limits).message
    expect(toFrameworkAppError(error).code).toBe('payload_too_large')
    expect(readMessage({ bodyLimitBytes: 1024 * 1024 })).toBe(
      'The body is larger than the 1 MiB that this operation accepts.',
    )
    expect(readMessage({ bodyLimitBytes: 1000 })).toContain('1000 bytes')
    expect(readMessage({ bodyLimitBytes: 16 * 1024 * 1024, acceptsForms: true })).toMatch(
      /16 MiB.*multipart\/form-data/,
    )
  })

  test.each([new Error('secret'), 'secret', null, undefined, 7, { statusCode: 404, message: 'secret' }])(
    'a handler’s %o becomes an internal error without details',
    (thrown) => {
      const problem = toAppError(thrown)
      expect(problem.code).toBe('internal_error')
      expect(JSON.stringify(buildErrorBody(problem, 'req_1', false))).not.toContain('secret')
    },
  )

  test('only call routes have success: false', () => {
    const problem = new AppError('not_found', 'No.')
    expect(buildErrorBody(problem, 'req_1', true)).toHaveProperty('success', false)
    expect(buildErrorBody(problem, 'req_1', false)).not.toHaveProperty('success')
    const urls = ['/api/calls', '/api/v1/calls/x?y', '/api/calls?limit=1', '/api/callsign', '/api/chats/calls']
    expect(urls.map(isCallRoute)).toEqual([true, true, true, false, false])
  })
})

test('a constraint violated by a concurrent request is not an internal error', () => {
  expect(toAppError(new ConstraintError('foreign-key', 'FOREIGN KEY')).code).toBe('not_found')
  expect(toAppError(new ConstraintError('unique', 'UNIQUE things.name')).code).toBe('id_taken')
  expect(toAppError(new ConstraintError('other', 'CHECK')).code).toBe('internal_error')
})
