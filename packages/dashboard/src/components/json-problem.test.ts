import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findJsonProblem } from './json-problem.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the position of a JSON syntax error', () => {
  test.each([
    ['{"a": 1,}', 1, 9, 'Expected a name'],
    ['{\n  "a": x\n}', 2, 8, 'Expected a value'],
    ['{"a" 1}', 1, 6, 'Expected a colon'],
    ['{"a": 1 "b": 2}', 1, 9, 'Expected a comma'],
    ['[1, 2', 1, 6, 'Expected a comma'],
    ['[1] 2', 1, 5, 'Expected the end'],
    ["{'a': 1}", 1, 2, 'Expected a name'],
    ['{"a": "open}', 1, 7, 'Expected a value'],
    ['[01]', 1, 2, 'Expected a value'],
    ['[1}', 1, 3, 'Expected a comma'],
    ['', 1, 1, 'Expected a value'],
  ])('%j', (text, line, column, reason) => {
    expect(findJsonProblem(text)).toMatchObject({ line, column, reason: expect.stringMatching(`^${reason}`) })
  })

  test('is absent in valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (text, space) => {
        expect(findJsonProblem(JSON.stringify(JSON.parse(text), null, space))).toBeNull()
      }),
    )
  })

  test('exists if and only if the text cannot be parsed', () => {
    const units = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      'a',
      '1',
      '0',
      '-',
      '.',
      'e',
      '\\',
      '\n',
      ' ',
      'true',
      'null',
      '"k":',
    ]
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...units), maxLength: 12 }), (text) => {
        expect(findJsonProblem(text) === null).toBe(isJson(text))
      }),
      { numRuns: 5_000 },
    )
  })

  test('is found after a character is removed', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, position) => {
        const brokenText = text.slice(0, position % text.length) + text.slice((position % text.length) + 1)
        const problem = findJsonProblem(brokenText)
        expect(problem === null).toBe(isJson(brokenText))
        expect(problem?.offset ?? 0).toBeLessThanOrEqual(brokenText.length)
      }),
    )
  })

  test('is found in long and deeply nested text', () => {
    expect(findJsonProblem('['.repeat(100_000))).toMatchObject({ column: 100_001 })
  })
})
