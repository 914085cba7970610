import { EQUATION_OPERATORS } from '@parley/contract/flow-equation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluateEquation } from './evaluate-condition.ts'

const variables: Readonly<Record<string, string>> = {
  age: '18',
  price: ' 9.50 ',
  city: 'Berlin',
  empty: '',
  braces: '{{age}}',
  date: '2026-01-05',
  vip: 'True',
  id: '12345678901234567890',
  zone: 'UTC',
  time_UTC: 'noon',
  house: '007',
}
const lookup = (name: string): string | undefined => (Object.hasOwn(variables, name) ? variables[name] : undefined)
const isTrue = (prompt: string): boolean => evaluateEquation({ prompt }, lookup)

describe('an equation', () => {
  test.each([
    '{{age}} == 18',
    '{{age}} == 18.0',
    '{{age}} == 018',
    '{{price}} == 9.5',
    '{{city}} == Berlin',
    '{{city}} == " Berlin "',
    '{{vip}} == true',
    '{{age}} != 19',
    '{{city}} != berlin',
    '{{missing}} != 1',
    '{{age}} > 9',
    '{{age}} >= 18',
    '{{price}} < 10',
    '{{price}} <= 9.5',
    '{{date}} < 2026-02-01',
    '{{date}} >= 2026-01-05',
    '{{city}} contains BER',
    '{{city}} contains {{empty}}',
    '{{city}} not_contains Rome',
    '{{missing}} not_contains x',
    '{{city}} not_contains {{missing}}',
    '{{city}} exists',
    '{{empty}} exists',
    '{{braces}} exists',
    '{{braces}} == "{{braces}}"',
    '{{braces}} contains age',
    '{{missing | x}} exists',
    '{{missing | x}} == x',
    '{{missing}} not_exist',
    '{{time_{{zone}}}} == noon',
    '{{time_{{nowhere}}}} not_exist',
    '{{id}} == 12345678901234567890',
    '{{id}} != 12345678901234567891',
    '{{age}} == 18 && {{city}} == Berlin',
    '{{age}} == 1 || {{city}} == Berlin',
    '{{house}} == 7',
    '"{{house}}" == 7',
    '"{{house}}" == "007"',
    '"{{house}}" != "7"',
    '"10" < "9"',
  ])('%s is true', (text) => {
    expect(isTrue(text)).toBe(true)
  })

  test.each([
    '{{age}} == 19',
    '{{city}} == berlin',
    '{{city}} == 18',
    '{{age}} != 18',
    '{{age}} > 18',
    '{{age}} >= 19',
    '{{age}} < 18',
    '{{age}} <= 17',
    '{{city}} contains Rome',
    '{{city}} not_contains ber',
    '{{city}} not_exist',
    '{{empty}} not_exist',
    '{{braces}} not_exist',
    '{{braces}} == 18',
    '{{missing}} exists',
    '{{missing}} == {{missing}}',
    '{{missing}} > 1',
    '{{missing}} <= 1',
    '{{age}} < {{missing}}',
    '{{missing}} contains x',
    '{{age}} == 18 && {{city}} == Rome',
    '"{{house}}" == "7"',
    '"{{vip}}" == "true"',
    '"10" > "9"',
    'not an equation',
    '',
  ])('%s is false', (text) => {
    expect(isTrue(text)).toBe(false)
  })

  test('with several comparisons needs all of them, or one with "||"', () => {
    const equations = [
      { left: 'age', operator: '>=', right: 18 },
      { left: 'vip', operator: '==', right: false },
    ] as const
    expect(evaluateEquation({ equations }, lookup)).toBe(false)
    expect(evaluateEquation({ equations, operator: '||' }, lookup)).toBe(true)
  })

  test('compares any two quoted values by characters', () => {
    const digits = fc.stringMatching(/^[ 0-9.+e-]{0,6}$/)
    const value = fc.oneof(fc.string(), digits, fc.constantFrom('true', 'TRUE'))
    fc.assert(
      fc.property(value, value, (left, right) => {
        const [first, second] = [left.trim(), right.trim()]
        const say = (operator: string): boolean =>
          evaluateEquation({ prompt: `"{{l}}" ${operator} "{{r}}"` }, (name) => (name === 'l' ? left : right))
        expect(say('==')).toBe(first === second)
        expect(say('!=')).toBe(first !== second)
        expect([say('<'), say('=='), say('>')].filter(Boolean)).toHaveLength(1)
        expect(say('<')).toBe(first < second)
      }),
    )
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}"\'\\()&|=!<> a0.') }), (prompt) => {
        expect(typeof evaluateEquation({ prompt }, lookup)).toBe('boolean')
      }),
    )
  })

  test('returns the opposite for the negated operator', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.double().map(String),
      fc.constantFrom('true', 'False'),
    )
    const opposites = [
      ['==', '!='],
      ['contains', 'not_contains'],
      ['exists', 'not_exist'],
      ['>', '<='],
      ['<', '>='],
    ] as const
    expect(opposites.flat().toSorted()).toEqual([...EQUATION_OPERATORS].toSorted())
    fc.assert(
      fc.property(value, value, fc.constantFrom(...opposites), (left, right, [one, other]) => {
        const say = (operator: (typeof EQUATION_OPERATORS)[number]): boolean =>
          evaluateEquation({ equations: [{ left: '{{l}}', operator, right: '{{r}}' }] }, (name) =>
            name === 'l' ? left : right,
          )
        // A number and a text have no order and are not equal.
        const isOrder = one === '>' || one === '<'
        if (isOrder && isNumber(left) !== isNumber(right)) expect([say(one), say(other)]).toEqual([false, false])
        else expect(say(one)).toBe(!say(other))
      }),
    )
  })
})

function isNumber(text: string): boolean {
  const number = text.trim()
  return (
    /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(number) &&
    number.replaceAll(/\D/g, '').replace(/^0+/, '').length <= 15
  )
}
