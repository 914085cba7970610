import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findPositionInTree, parseTree, type TextPosition } from './json-tree.ts'

function readAtPath(text: string, path: string): TextPosition {
  const result = parseTree(text)
  if (!('tree' in result)) throw new Error(`Invalid JSON: ${text}`)
  return findPositionInTree(result.tree, path)
}

const plainName = fc.stringMatching(/^[a-z]\w{0,8}$/)
const arbitraryValue = (name: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
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
function listValues(value: unknown, path = ''): { path: string; value: unknown }[] {
  const nestedValues = Array.isArray(value)
    ? value.flatMap((item, index) => listValues(item, `${path}[${index}]`))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, item]) => listValues(item, path === '' ? name : `${path}.${name}`))
      : []
  return [{ path, value }, ...nestedValues]
}

const indent = fc.constantFrom(0, 1, 2, '\t')

describe('findPositionInTree', () => {
  test('finds every value in any formatting', () => {
    fc.assert(
      fc.property(arbitraryValue(plainName), indent, (value, space) => {
        const text = JSON.stringify(value, null, space)
        for (const entry of listValues(value)) {
          const position = readAtPath(text, entry.path)
          expect(position.isExact).toBe(true)
          expect(JSON.parse(text.slice(position.from, position.to))).toEqual(entry.value)
        }
      }),
    )
  })

  test('supports dots and brackets in names', () => {
    fc.assert(
      fc.property(arbitraryValue(fc.stringMatching(/^[ab.[\]]{1,4}$/)), (value) => {
        const text = JSON.stringify(value)
        for (const { path } of listValues(value)) {
          const matchingEntries = listValues(value).filter((entry) => entry.path === path)
          const position = readAtPath(text, path)
          expect(matchingEntries.map((entry) => entry.value)).toContainEqual(
            JSON.parse(text.slice(position.from, position.to)),
          )
        }
      }),
    )
  })

  test('returns a position within the text for any path', () => {
    fc.assert(
      fc.property(
        arbitraryValue(plainName),
        fc.oneof(fc.string(), fc.stringMatching(/^[a-z.[\]0-9]*$/)),
        (value, path) => {
          const text = JSON.stringify(value, null, 2)
          const position = readAtPath(text, path)
          expect(position.from).toBeGreaterThanOrEqual(0)
          expect(position.to).toBeGreaterThan(position.from)
          expect(position.to).toBeLessThanOrEqual(text.length)
        },
      ),
    )
  })

  test('returns the name of the parent of a missing value', () => {
    const text = '{"nodes": [{"id": "a", "instruction": {"type": "prompt"}}]}'
    const describePosition = (path: string): string => {
      const position = readAtPath(text, path)
      return `${position.isExact} ${text.slice(position.from, position.to)}`
    }
    expect(describePosition('nodes[0].instruction.text')).toBe('false "instruction"')
    expect(describePosition('nodes[0].else_edge')).toBe('false {')
    expect(describePosition('nodes[7].id')).toBe('false "nodes"')
    expect(describePosition('start_node_id')).toBe('false {')
    expect(describePosition('nodes[0].id')).toBe('true "a"')
  })

  test('accepts another spelling and returns the last of duplicate names', () => {
    const text = '{"globalPrompt": 1, "tools": 2, "tools": 3}'
    const readText = (path: string): string => {
      const position = readAtPath(text, path)
      return text.slice(position.from, position.to)
    }
    expect(readText('global_prompt')).toBe('1')
    expect(readText('tools')).toBe('3')
  })
})

describe('parseTree', () => {
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
        arbitraryValue(plainName),
        fc.nat(),
        fc.constantFrom('', ',', '"', '}', ']', ':', '\\', '0', 'e', '\u0001', ' '),
      )
      .map(([value, offset, insertion]) => {
        const text = JSON.stringify(value, null, 1)
        const position = offset % (text.length + 1)
        return text.slice(0, position) + insertion + text.slice(position + (offset % 2))
      })
    fc.assert(
      fc.property(malformed, (text) => {
        expect('tree' in parseTree(text)).toBe(isJson(text))
      }),
      { numRuns: 1_000 },
    )
  })

  test('returns the offset of the first error', () => {
    expect(parseTree('{"a": 1,}')).toEqual({ errorOffset: 8 })
    expect(parseTree('{"a": nul}')).toEqual({ errorOffset: 6 })
    expect(parseTree('[1] 2')).toEqual({ errorOffset: 4 })
    expect(parseTree('')).toEqual({ errorOffset: 0 })
  })

  test('rejects deeply nested brackets', () => {
    expect(parseTree('['.repeat(200_000))).toMatchObject({ errorOffset: 501 })
  })
})
