import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Thing } from './http-test-kit.ts'
import { compileNamePlan, compileQueryPlan, type NameReport, normalizeNames } from './normalize-names.ts'

function normalize(schema: z.ZodType, value: unknown): { value: unknown } & NameReport {
  const report: NameReport = { ignored: [], conflicts: [] }
  return { value: normalizeNames(compileNamePlan(schema), value, report), ...report }
}

describe('body names', () => {
  test.each([
    ['snake', { display_name: 'a', max_count: 1, workspace_id: 1 }],
    ['camel', { displayName: 'a', maxCount: 1, workspaceId: 1 }],
    ['kebab', { 'display-name': 'a', 'max-count': 1, 'workspace-id': 1 }],
  ])('accepts %s case', (_name, body) => {
    const result = normalize(Thing, body)
    expect(result).toEqual({
      value: { display_name: 'a', maxCount: 1, workspaceId: 1 },
      ignored: [],
      conflicts: [],
    })
  })

  test('accepts spellings inside arrays, nested objects and unions', () => {
    const body = {
      steps: [{ stepId: '1', nextStep: { toId: '2' } }, { 'step-id': '2' }],
      engine: { Type: 'conversation-flow', flowId: 'f' },
    }
    expect(normalize(Thing, body).value).toEqual({
      steps: [{ step_id: '1', next_step: { to_id: '2' } }, { step_id: '2' }],
      engine: { type: 'conversation-flow', flow_id: 'f' },
    })
  })

  test('leaves free-form objects unchanged', () => {
    const metadata = { displayName: 1, display_name: 2, 'step-id': { toId: 3 } }
    expect(normalize(Thing, { metadata })).toEqual({ value: { metadata }, ignored: [], conflicts: [] })
  })

  test('prevents prototype pollution', () => {
    const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const body = JSON.parse(`{"display_name":"a","metadata":${hostile},"__proto__":{"polluted":1},"constructor":1}`)
    const result = normalize(Thing, body)
    expect(result.ignored).toEqual(['__proto__', 'constructor'])
    expect(Object.keys(result.value as object)).toEqual(['display_name', 'metadata'])
    const parsed = Thing.parse(result.value)
    expect((parsed as { polluted?: unknown }).polluted).toBeUndefined()
    expect((parsed.metadata as { polluted?: unknown }).polluted).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('reports spellings only if their values differ', () => {
    const different = normalize(Thing, { steps: [{ step_id: 'a', stepId: 'b' }] })
    expect(different.conflicts.map((conflict) => conflict.path)).toEqual(['steps[0].step_id'])
    const metadata = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]
    expect(normalize(Thing, { metadata: metadata[0], Metadata: metadata[1] }).conflicts).toEqual([])
  })

  test('drops unknown keys and reports their paths', () => {
    const result = normalize(Thing, {
      colour: 1,
      steps: [{ step_id: '1', extra: 1 }],
      engine: { type: 'llm', flow_id: 1 },
    })
    expect(result.value).toEqual({ steps: [{ step_id: '1' }], engine: { type: 'llm' } })
    expect(result.ignored).toEqual(['colour', 'steps[0].extra', 'engine.flow_id'])
  })

  test('keeps values of the wrong type for validation', () => {
    const body = { steps: { 0: 'a' }, engine: { type: 'unknown', x: 1 }, metadata: 3 }
    expect(normalize(Thing, body).value).toEqual(body)
    expect(normalize(Thing, [1]).value).toEqual([1])
    expect(normalize(Thing, null).value).toBeNull()
  })

  test('supports recursive schemas', () => {
    interface Tree {
      child_nodes?: Tree[] | undefined
    }
    const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ child_nodes: z.array(Tree).optional() }))
    const input = { childNodes: [{ childNodes: [] }] }
    expect(normalize(Tree, input).value).toEqual({ child_nodes: [{ child_nodes: [] }] })
  })

  test('is idempotent', () => {
    const key = fc.oneof(
      fc.constantFrom('display_name', 'displayName', 'maxCount', 'max-count', 'steps', 'step_id', 'stepId', 'engine'),
      fc.constantFrom('type', 'Type', 'llm_id', 'flowId', 'metadata', 'next_step', 'toId', '__proto__', '', '_', '-'),
      fc.string({ maxLength: 5 }),
    )
    const leaf = fc.oneof(fc.constantFrom('llm', 'flow', 'x'), fc.integer(), fc.constant(null))
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value')),
      ),
    }))
    fc.assert(
      fc.property(value, (input) => {
        const firstResult = normalize(Thing, input)
        const secondResult = normalize(Thing, firstResult.value)
        expect(secondResult.value).toEqual(firstResult.value)
        expect(secondResult.ignored).toEqual([])
        expect(secondResult.conflicts).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

describe('query names', () => {
  const Query = z.object({
    startDate: z.string(),
    endDate: z.string(),
    search: z.string(),
    type: z.string(),
    limit: z.string(),
  })

  function normalizeQuery(value: unknown): { value: unknown } & NameReport {
    const report: NameReport = { ignored: [], conflicts: [] }
    return { value: normalizeNames(compileQueryPlan(Query), value, report), ...report }
  }

  test('accepts aliases', () => {
    const input = { from: '1', to: '2', searchText: '3', response_engine_type: '4', 'per-page': '5' }
    expect(normalizeQuery(input).value).toEqual({ startDate: '1', endDate: '2', search: '3', type: '4', limit: '5' })
    expect(normalizeQuery({ q: '1', pageSize: '2' }).value).toEqual({ search: '1', limit: '2' })
    expect(normalizeQuery({ query: '1' }).value).toEqual({ search: '1' })
  })

  test('reports an alias with a different value', () => {
    expect(normalizeQuery({ q: '1', search: '2' }).conflicts.map((conflict) => conflict.path)).toEqual(['search'])
    expect(normalizeQuery({ q: '1', search: '1' }).conflicts).toEqual([])
  })

  test('an alias never replaces a field of that name', () => {
    const plan = compileQueryPlan(z.object({ from: z.string(), startDate: z.string() }))
    expect(normalizeNames(plan, { from: '1' }, { ignored: [], conflicts: [] })).toEqual({ from: '1' })
  })
})
