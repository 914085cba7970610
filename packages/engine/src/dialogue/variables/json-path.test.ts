import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../ports.ts'
import { type JsonPathStep, parseJsonPath, readJsonPath } from './json-path.ts'

describe('parseJsonPath', () => {
  test.each<[string, JsonPathStep[] | null]>([
    ['$.a.b[0].c', ['a', 'b', 0, 'c']],
    ['a.b[0]', ['a', 'b', 0]],
    ['$', []],
    ['[2].x', [2, 'x']],
    [`$['a key']["b.c"]`, ['a key', 'b.c']],
    [`$['it\\'s']`, ["it's"]],
    ['$price', ['$price']],
    ['', null],
    ['a..b', null],
    ['a.', null],
    ['.a', null],
    ['a[*]', null],
    ['a[-1]', null],
    ['a[0', null],
    ['a]b', null],
    ['$.a[0]b', null],
    ['x.'.repeat(100).concat('x'), null],
  ])('%s', (path, steps) => {
    expect(parseJsonPath(path)).toEqual(steps)
  })

  test('round-trips any quoted path', () => {
    const step = fc.oneof(fc.string({ maxLength: 10 }), fc.nat({ max: 999 }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        const path = `$${steps.map((part) => (typeof part === 'number' ? `[${part}]` : `['${part.replaceAll(/['\\]/g, '\\$&')}']`)).join('')}`
        expect(parseJsonPath(path)).toEqual(steps)
      }),
    )
  })

  test('never throws and is fast for hostile text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('[', ']', '.', "'", '\\', '0', 'a', '$') }),
        (path) => parseJsonPath(path) !== undefined,
      ),
    )
    expect(parseJsonPath(`['${'\\'.repeat(1_000_000)}`)).toBeNull()
  })
})

describe('readJsonPath', () => {
  const value: JsonValue = { a: { b: [{ c: 'deep' }] }, list: [10, 20], none: null }

  test.each<[string, JsonValue | undefined]>([
    ['$.a.b[0].c', 'deep'],
    ['list.1', 20],
    ['list[9]', undefined],
    ['none', null],
    ['none.x', undefined],
    ['a.constructor', undefined],
    ['a.__proto__', undefined],
    ['list.length', undefined],
  ])('%s', (path, found) => {
    expect(readJsonPath(value, parseJsonPath(path) ?? [])).toEqual(found)
  })

  test('finds every leaf of any document by its path', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 3 })), (document) => {
        const parsed = JSON.parse(JSON.stringify(document)) as JsonValue
        for (const [steps, leaf] of listLeaves(parsed)) expect(readJsonPath(parsed, steps)).toEqual(leaf)
      }),
    )
  })
})

function listLeaves(value: JsonValue, steps: JsonPathStep[] = []): [JsonPathStep[], JsonValue][] {
  if (typeof value !== 'object' || value === null) return [[steps, value]]
  const entries: [JsonPathStep, JsonValue | undefined][] = Array.isArray(value)
    ? value.map((item, index) => [index, item as JsonValue])
    : Object.entries(value)
  return entries.flatMap(([step, item]) => (item === undefined ? [] : listLeaves(item, [...steps, step])))
}
