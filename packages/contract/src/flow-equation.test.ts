import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Condition, EQUATION_OPERATORS, parseEquation, readEquation } from './flow-equation.ts'

const createComparison = (left: string, operator: string, right: string | null) => ({
  kind: 'comparison',
  left,
  operator,
  right,
})

describe('equations as text', () => {
  const parsedCondition: [string, object][] = [
    ['{{age}} >= 18', createComparison('{{age}}', '>=', '18')],
    ['age>=18', createComparison('{{age}}', '>=', '18')],
    ['{{city}} == "New York"', createComparison('{{city}}', '==', 'New York')],
    ["{{city}} == 'New York'", createComparison('{{city}}', '==', 'New York')],
    [String.raw`{{said}} == "a \"b\" \\"`, createComparison('{{said}}', '==', 'a "b" \\')],
    ['"city" == {{x}}', createComparison('city', '==', '{{x}}')],
    ['"{{house}}" == \'007\'', { ...createComparison('{{house}}', '==', '007'), asText: true }],
    ['18 <= {{age}}', createComparison('18', '<=', '{{age}}')],
    ['customer.name exists', createComparison('{{customer.name}}', 'exists', null)],
    ['{{a}} not_exist', createComparison('{{a}}', 'not_exist', null)],
    ['{{a | none}} contains {{b}}-{{c}}', createComparison('{{a | none}}', 'contains', '{{b}}-{{c}}')],
    ['{{current_time_{{zone}}}} not_contains PM', createComparison('{{current_time_{{zone}}}}', 'not_contains', 'PM')],
    ['{{a}} == ""', createComparison('{{a}}', '==', '')],
    [
      'a == 1 && b == 2',
      { kind: 'all', parts: [createComparison('{{a}}', '==', '1'), createComparison('{{b}}', '==', '2')] },
    ],
    [
      'a == 1 || b == 2 && c < 3',
      {
        kind: 'any',
        parts: [
          createComparison('{{a}}', '==', '1'),
          { kind: 'all', parts: [createComparison('{{b}}', '==', '2'), createComparison('{{c}}', '<', '3')] },
        ],
      },
    ],
    [
      '(a == 1 || b exists) && c != 3',
      {
        kind: 'all',
        parts: [
          { kind: 'any', parts: [createComparison('{{a}}', '==', '1'), createComparison('{{b}}', 'exists', null)] },
          createComparison('{{c}}', '!=', '3'),
        ],
      },
    ],
    ['((a == 1))', createComparison('{{a}}', '==', '1')],
  ]
  test.each(parsedCondition)('%s', (text, condition) => {
    expect(parseEquation(text)).toEqual({ type: 'condition', condition })
  })

  const refused: [string, RegExp][] = [
    ['', /expected a variable or value at the end/],
    ['is the user old', /expected an operator at character 4, not "the"/],
    ['{{age}}', /expected an operator at the end/],
    ['{{age}} >=', /expected a variable or value at the end/],
    ['{{age}} = 18', /unexpected character 9 \("= 18"\)/],
    ['{{age >= 18', /character 1/],
    ['"age == 1', /character 1/],
    ['a == New York', /expected "&&", "\|\|" or the end at character 10/],
    ['a == 1 && ', /at the end/],
    ['a == 1 & b == 2', /character 8/],
    ['(a == 1', /expected "\)" at the end/],
    ['a == 1)', /the end at character 7, not "\)"/],
    ['== 1', /expected a variable or value at character 1, not "=="/],
    [`${'('.repeat(11)}a == 1${')'.repeat(11)}`, /nest parentheses deeper than 10/],
    [Array(51).fill('a == 1').join(' && '), /at most 50 comparisons/],
  ]
  test.each(refused)('%s is refused', (text, message) => {
    const read = parseEquation(text)
    expect(read).toEqual({ type: 'problem', message: expect.stringMatching(message) })
    expect(read).toHaveProperty('message', expect.stringMatching(/^must /))
  })

  test('every text gets a result', () => {
    const fragments = fc.constantFrom(
      '{{',
      '}}',
      'a',
      ' ',
      '"',
      "'",
      '\\',
      '(',
      ')',
      '&&',
      '||',
      '==',
      '=',
      '<',
      'exists',
      '1',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fragments).map((chosen) => chosen.join('')),
        ),
        (text) => {
          expect(['condition', 'problem']).toContain(parseEquation(text).type)
        },
      ),
    )
  })

  test('parses printed conditions', () => {
    const operand = fc.string({ maxLength: 8 })
    const comparison = fc
      .record({ left: operand, operator: fc.constantFrom(...EQUATION_OPERATORS), right: operand })
      .map(({ left, operator, right }): Condition => {
        if (/exist/.test(operator)) return { kind: 'comparison', left, operator, right: null }
        return { kind: 'comparison', left, operator, right, asText: true }
      })
    const condition = fc.letrec<{ any: Condition }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        comparison,
        fc.record({
          kind: fc.constantFrom('all', 'any'),
          parts: fc.array(tie('any'), { minLength: 2, maxLength: 3 }),
        }),
      ),
    })).any
    fc.assert(
      fc.property(condition, (written) => {
        expect(parseEquation(printCondition(written))).toEqual({ type: 'condition', condition: written })
      }),
    )
  })

  test('takes linear time', () => {
    for (const text of ['{{'.repeat(4_000), '{{a}}'.repeat(1_600), '"\\'.repeat(4_000), 'a '.repeat(4_000)]) {
      expect(parseEquation(text).type).toBe('problem')
    }
  })
})

function printCondition(condition: Condition): string {
  if (condition.kind !== 'comparison') {
    return `(${condition.parts.map(printCondition).join(condition.kind === 'all' ? ' && ' : ' || ')})`
  }
  const { left, operator, right } = condition
  return `${quoteText(left)} ${operator} ${right === null ? '' : quoteText(right)}`
}

const quoteText = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

describe('equations as lists', () => {
  test('are joined by their operator, by default "&&"', () => {
    const equations = [
      { left: 'age', operator: '>=', right: 18 },
      { left: '{{vip}}', operator: '==', right: true },
      { left: 'name', operator: 'exists', right: 'ignored' },
    ] as const
    const comparisons = [
      createComparison('{{age}}', '>=', '18'),
      createComparison('{{vip}}', '==', 'true'),
      createComparison('{{name}}', 'exists', null),
    ]
    expect(readEquation({ equations })).toEqual({ type: 'condition', condition: { kind: 'all', parts: comparisons } })
    expect(readEquation({ equations, operator: '||', prompt: 'nonsense' })).toEqual({
      type: 'condition',
      condition: { kind: 'any', parts: comparisons },
    })
  })

  test('that are empty fall back to the text', () => {
    expect(readEquation({ equations: [], prompt: 'a exists' })).toMatchObject({ condition: { operator: 'exists' } })
    expect(readEquation({ equations: [] }).type).toBe('problem')
  })
})
