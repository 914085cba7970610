import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../ports.ts'
import { readChoice } from './parse-choice.ts'

const OPTIONS = [
  { key: 'e1', condition: 'The user agrees.' },
  { key: 'e2', condition: 'The user wants to talk about the bill' },
  { key: 'g1', condition: 'The user wants to talk about the weather' },
  { key: 'else', condition: 'None of the others applies.' },
]
const readKey = (value: JsonValue | undefined): string | null => readChoice(value, OPTIONS)

describe("a model's choice", () => {
  test.each<[JsonValue, string]>([
    ['e2', 'e2'],
    [' E2. ', 'e2'],
    ['"e2"', 'e2'],
    ['e2: The user wants to talk about the bill', 'e2'],
    ['e2 - because the bill was wrong', 'e2'],
    ['The user wants to talk about the bill (e2)', 'e2'],
    ['edge e2', 'e2'],
    ['Option: E2', 'e2'],
    [['e2'], 'e2'],
    [{ edge: 'e2' }, 'e2'],
    [{ choice: 'e2', id: 'e1' }, 'e2'],
    [{ choice: { id: 'e2' } }, 'e2'],
    ['the user  wants to talk about the BILL.', 'e2'],
    ['talk about the bill', 'e2'],
    ['The user agrees', 'e1'],
    ['agrees', 'e1'],
    ['else: None of the others applies.', 'else'],
    ['None of the others', 'else'],
    ['e1: the user agrees, or else stays', 'e1'],
  ])('%j is %s', (value, key) => {
    const options = [...OPTIONS.slice(1), { key: 'e1', condition: 'Agrees' }]
    expect(value === 'agrees' ? readChoice(value, options) : readKey(value)).toBe(key)
  })

  test.each<[JsonValue | undefined]>([
    [undefined],
    [null],
    [''],
    [2],
    ['e9'],
    ['e1 or e2'],
    ['e2: The user agrees.'],
    ['not e2'],
    ['The user wants to talk about the'],
    ['The user'],
    ['the bill'],
    ['user'],
    ['It is wrong that the user agrees.'],
    [['e1', 'e2']],
    [[]],
    [{ reason: 'e2' }],
    [{ edge: 'e1', id: 'e2' }],
    [[[[[['e2']]]]]],
  ])('%j is none', (value) => {
    expect(readKey(value)).toBeNull()
  })

  test('is none when the words match two conditions', () => {
    const duplicates = [
      { key: 'e1', condition: 'Yes' },
      { key: 'e2', condition: 'yes!' },
    ]
    expect(readChoice('yes', duplicates)).toBeNull()
    expect(readChoice('e2: yes', duplicates)).toBe('e2')
  })

  test('is one of the keys or none for any answer', () => {
    const keys = new Set<string | null>([...OPTIONS.map(({ key }) => key), null])
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => keys.has(readKey(value as JsonValue))),
      { numRuns: 300 },
    )
  })

  test('takes linear time', () => {
    const long = 1_000_000
    for (const value of ['e2 '.repeat(long), '"'.repeat(long), 'the user '.repeat(long), ': '.repeat(long)]) {
      expect(readKey(value)).toBeNull()
    }
  })
})
