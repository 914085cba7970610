import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Thing } from './http-test-kit.ts'
import { type NameReport, namePlan, normalizeNames, queryPlan } from './normalize-names.ts'

function normalise(schema: z.ZodType, value: unknown): { value: unknown } & NameReport {
  const report: NameReport = { ignored: [], conflicts: [] }
  return { value: normalizeNames(namePlan(schema), value, report), ...report }
}

describe('names of a body', () => {
  test.each([
    ['snake', { display_name: 'a', max_count: 1, workspace_id: 1 }],
    ['camel', { displayName: 'a', maxCount: 1, workspaceId: 1 }],
    ['kebab', { 'display-name': 'a', 'max-count': 1, 'workspace-id': 1 }],
  ])('%s case is known', (_name, body) => {
    const result = normalise(Thing, body)
    expect(result).toEqual({
      value: { display_name: 'a', maxCount: 1, workspaceId: 1 },
      ignored: [],
      conflicts: [],
    })
  })

  test('twins are known inside arrays, nested objects and the options of a union', () => {
    const body = {
      steps: [{ stepId: '1', nextStep: { toId: '2' } }, { 'step-id': '2' }],
      engine: { Type: 'conversation-flow', flowId: 'f' },
    }
    expect(normalise(Thing, body).value).toEqual({
      steps: [{ step_id: '1', next_step: { to_id: '2' } }, { step_id: '2' }],
      engine: { type: 'conversation-flow', flow_id: 'f' },
    })
  })

  test('free-form objects are never touched', () => {
    const metadata = { displayName: 1, display_name: 2, 'step-id': { toId: 3 } }
    expect(normalise(Thing, { metadata })).toEqual({ value: { metadata }, ignored: [], conflicts: [] })
  })

  test('keys of the language pollute nothing', () => {
    const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const body = JSON.parse(`{"display_name":"a","metadata":${hostile},"__proto__":{"polluted":1},"constructor":1}`)
    const result = normalise(Thing, body)
    expect(result.ignored).toEqual(['__proto__', 'constructor'])
    expect(Object.keys(result.value as object)).toEqual(['display_name', 'metadata'])
    const parsed = Thing.parse(result.value)
    expect((parsed as { polluted?: unknown }).polluted).toBeUndefined()
    expect((parsed.metadata as { polluted?: unknown }).polluted).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('twins with different values conflict, with equal ones they do not', () => {
    const different = normalise(Thing, { steps: [{ step_id: 'a', stepId: 'b' }] })
    expect(different.conflicts.map((conflict) => conflict.path)).toEqual(['steps[0].step_id'])
    const metadata = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]
    expect(normalise(Thing, { metadata: metadata[0], Metadata: metadata[1] }).conflicts).toEqual([])
  })

  test('unknown keys are left out and named with their path', () => {
    const result = normalise(Thing, {
      colour: 1,
      steps: [{ step_id: '1', extra: 1 }],
      engine: { type: 'llm', flow_id: 1 },
    })
    expect(result.value).toEqual({ steps: [{ step_id: '1' }], engine: { type: 'llm' } })
    expect(result.ignored).toEqual(['colour', 'steps[0].extra', 'engine.flow_id'])
  })

  test('values of another type than the schema has stay for the validation to refuse', () => {
    const body = { steps: { 0: 'a' }, engine: { type: 'unknown', x: 1 }, metadata: 3 }
    expect(normalise(Thing, body).value).toEqual(body)
    expect(normalise(Thing, [1]).value).toEqual([1])
    expect(normalise(Thing, null).value).toBeNull()
  })

  test('a schema may refer to itself', () => {
    interface Tree {
      child_nodes?: Tree[] | undefined
    }
    const Tree: z.ZodType<Tree> = z.lazy(() => z.object({ child_nodes: z.array(Tree).optional() }))
    const given = { childNodes: [{ childNodes: [] }] }
    expect(normalise(Tree, given).value).toEqual({ child_nodes: [{ child_nodes: [] }] })
  })

  test('normalising twice changes nothing', () => {
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
      fc.property(value, (given) => {
        const once = normalise(Thing, given)
        const twice = normalise(Thing, once.value)
        expect(twice.value).toEqual(once.value)
        expect(twice.ignored).toEqual([])
        expect(twice.conflicts).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

describe('names of a query', () => {
  const Query = z.object({
    startDate: z.string(),
    endDate: z.string(),
    search: z.string(),
    type: z.string(),
    limit: z.string(),
  })

  function read(value: unknown): { value: unknown } & NameReport {
    const report: NameReport = { ignored: [], conflicts: [] }
    return { value: normalizeNames(queryPlan(Query), value, report), ...report }
  }

  test('other words for the same thing are known', () => {
    const given = { from: '1', to: '2', searchText: '3', response_engine_type: '4', 'per-page': '5' }
    expect(read(given).value).toEqual({ startDate: '1', endDate: '2', search: '3', type: '4', limit: '5' })
    expect(read({ q: '1', pageSize: '2' }).value).toEqual({ search: '1', limit: '2' })
    expect(read({ query: '1' }).value).toEqual({ search: '1' })
  })

  test('a word and its alias with different values conflict', () => {
    expect(read({ q: '1', search: '2' }).conflicts.map((conflict) => conflict.path)).toEqual(['search'])
    expect(read({ q: '1', search: '1' }).conflicts).toEqual([])
  })

  test('an alias never takes the place of a field of that name', () => {
    const plan = queryPlan(z.object({ from: z.string(), startDate: z.string() }))
    expect(normalizeNames(plan, { from: '1' }, { ignored: [], conflicts: [] })).toEqual({ from: '1' })
  })
})
