import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findPositionInTree, readTree, type TextPosition } from './json-tree.ts'

function readAtPath(text: string, path: string): TextPosition {
  const read = readTree(text)
  if (!('tree' in read)) throw new Error(`no JSON: ${text}`)
  return findPositionInTree(read.tree, path)
}

const plainName = fc.stringMatching(/^[a-z]\w{0,8}$/)
const valueWith = (name: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, false, '', '"]}', 'a\n\\"{', 'ä😀'),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
      fc.string(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  })).value

/** Lists every nested value with its path in API notation. */
function walk(value: unknown, path = ''): { path: string; value: unknown }[] {
  const inside = Array.isArray(value)
    ? value.flatMap((item, index) => walk(item, `${path}[${index}]`))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, item]) => walk(item, path === '' ? name : `${path}.${name}`))
      : []
  return [{ path, value }, ...inside]
}

const indent = fc.constantFrom(0, 1, 2, '\t')

describe('the position of a path', () => {
  test('is the position of the value in any formatting', () => {
    fc.assert(
      fc.property(valueWith(plainName), indent, (value, space) => {
        const text = JSON.stringify(value, null, space)
        for (const one of walk(value)) {
          const place = readAtPath(text, one.path)
          expect(place.isExact).toBe(true)
          expect(JSON.parse(text.slice(place.from, place.to))).toEqual(one.value)
        }
      }),
    )
  })

  test('works with dots and brackets in names', () => {
    fc.assert(
      fc.property(valueWith(fc.stringMatching(/^[ab.[\]]{1,4}$/)), (value) => {
        const text = JSON.stringify(value)
        for (const { path } of walk(value)) {
          const same = walk(value).filter((one) => one.path === path)
          const place = readAtPath(text, path)
          expect(same.map((one) => one.value)).toContainEqual(JSON.parse(text.slice(place.from, place.to)))
        }
      }),
    )
  })

  test('is within the text for any path', () => {
    fc.assert(
      fc.property(valueWith(plainName), fc.oneof(fc.string(), fc.stringMatching(/^[a-z.[\]0-9]*$/)), (value, path) => {
        const text = JSON.stringify(value, null, 2)
        const place = readAtPath(text, path)
        expect(place.from).toBeGreaterThanOrEqual(0)
        expect(place.to).toBeGreaterThan(place.from)
        expect(place.to).toBeLessThanOrEqual(text.length)
      }),
    )
  })

  test('of a missing value is the name of its parent', () => {
    const text = '{"nodes": [{"id": "a", "instruction": {"type": "prompt"}}]}'
    const at = (path: string): string => {
      const place = readAtPath(text, path)
      return `${place.isExact} ${text.slice(place.from, place.to)}`
    }
    expect(at('nodes[0].instruction.text')).toBe('false "instruction"')
    expect(at('nodes[0].else_edge')).toBe('false {')
    expect(at('nodes[7].id')).toBe('false "nodes"')
    expect(at('start_node_id')).toBe('false {')
    expect(at('nodes[0].id')).toBe('true "a"')
  })

  test('is found in another spelling, and for a duplicate name at the last one', () => {
    const text = '{"globalPrompt": 1, "tools": 2, "tools": 3}'
    const at = (path: string): string => {
      const place = readAtPath(text, path)
      return text.slice(place.from, place.to)
    }
    expect(at('global_prompt')).toBe('1')
    expect(at('tools')).toBe('3')
  })
})

describe('parsing a text', () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  test('accepts the same texts as the browser', () => {
    const malformed = fc
      .tuple(
        valueWith(plainName),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', ':', '\\', '0', 'e', '\u0001', ' '),
      )
      .map(([value, at, put]) => {
        const text = JSON.stringify(value, null, 1)
        const place = at % (text.length + 1)
        return text.slice(0, place) + put + text.slice(place + (at % 2))
      })
    fc.assert(
      fc.property(malformed, (text) => {
        expect('tree' in readTree(text)).toBe(isJson(text))
      }),
      { numRuns: 1_000 },
    )
  })

  test('reports where it stops', () => {
    expect(readTree('{"a": 1,}')).toEqual({ faultAt: 8 })
    expect(readTree('{"a": nul}')).toEqual({ faultAt: 6 })
    expect(readTree('[1] 2')).toEqual({ faultAt: 4 })
    expect(readTree('')).toEqual({ faultAt: 0 })
  })

  test('reports unclosed brackets', () => {
    expect(readTree('['.repeat(200_000))).toMatchObject({ faultAt: 501 })
  })
})
