import { type Comparison, type Condition, readEquation, type WrittenEquation } from '@parley/contract/flow-equation'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'

/** By equation object: engines are frozen versions. `null`: it makes no sense and is never true. */
const conditions = new WeakMap<WrittenEquation, Condition | null>()

/**
 * Whether an equation holds; one that cannot be read does not. Variables are rendered once: a value that contains `{{x}}`
 * stays as it is. A side that names a variable which is not set does not exist: then only `not_exist`, `!=` and
 * `not_contains` hold. A variable that is set to nothing exists.
 *
 * Two numbers are compared as numbers, unless one has more digits than a number can hold (then it is an id, not an amount).
 * Everything else is compared as text without the spaces around it: `==` and `!=` exactly, but `true` and `false` in any
 * case; `<` and its like by character, which puts ISO dates in order; `contains` in any case of the letters. Of a number and
 * a text neither is the larger: `age > 17` does not hold for the age `old`. When both sides are quoted, they are compared as
 * text only, so that `"007" == "7"` does not hold.
 */
export function evaluateEquation(equation: WrittenEquation, lookup: VariableLookup): boolean {
  let condition = conditions.get(equation)
  if (condition === undefined) {
    const read = readEquation(equation)
    condition = read.type === 'condition' ? read.condition : null
    conditions.set(equation, condition)
  }
  return condition !== null && evaluateCondition(condition, lookup)
}

function evaluateCondition(condition: Condition, lookup: VariableLookup): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.parts.every((part) => evaluateCondition(part, lookup))
    case 'any':
      return condition.parts.some((part) => evaluateCondition(part, lookup))
    case 'comparison':
      return compare(condition, lookup)
  }
}

function compare({ left, operator, right, asText }: Comparison, lookup: VariableLookup): boolean {
  const isEqual = asText ? isEqualText : isEqualValue
  const order = asText ? compareTexts : compareValues
  const first = renderOperand(left, lookup)
  const second = renderOperand(right ?? '', lookup)
  const areBothSet = first !== null && second !== null
  switch (operator) {
    case 'exists':
      return first !== null
    case 'not_exist':
      return first === null
    case '==':
      return areBothSet && isEqual(first, second)
    case '!=':
      return !areBothSet || !isEqual(first, second)
    case '>':
      return areBothSet && order(first, second) > 0
    case '>=':
      return areBothSet && order(first, second) >= 0
    case '<':
      return areBothSet && order(first, second) < 0
    case '<=':
      return areBothSet && order(first, second) <= 0
    case 'contains':
      return areBothSet && contains(first, second)
    case 'not_contains':
      return !areBothSet || !contains(first, second)
  }
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

/** The text of one side; `null` when it names a variable that is not set. */
function renderOperand(text: string, lookup: VariableLookup): string | null {
  // What is unset stays as it is written. Values are looked at without their braces, which are not ours.
  const unbracedText = renderTemplate(text, (name) => lookup(name)?.replaceAll(/[{}]/g, ' '))
  const unset = unbracedText.indexOf('{{')
  if (unset >= 0 && unbracedText.includes('}}', unset + 2)) return null
  return renderTemplate(text, lookup).trim()
}

function isEqualText(first: string, second: string): boolean {
  return first === second
}

function isEqualValue(first: string, second: string): boolean {
  if (first === second) return true
  if (isBoolean(first) && isBoolean(second)) return first.toLowerCase() === second.toLowerCase()
  const numbers = asNumbers(first, second)
  return numbers !== null && numbers[0] === numbers[1]
}

/** Negative, zero or positive; not a number where a number meets a text, so that neither is the larger. */
function compareValues(first: string, second: string): number {
  const numbers = asNumbers(first, second)
  if (numbers !== null) return numbers[0] - numbers[1]
  if (isNumber(first) || isNumber(second)) return Number.NaN
  return compareTexts(first, second)
}

function compareTexts(first: string, second: string): number {
  if (first === second) return 0
  return first < second ? -1 : 1
}

function isBoolean(text: string): boolean {
  return /^(?:true|false)$/i.test(text)
}

const MAX_DIGITS = 15

function asNumbers(first: string, second: string): readonly [number, number] | null {
  return isNumber(first) && isNumber(second) ? [Number(first), Number(second)] : null
}

function isNumber(text: string): boolean {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) return false
  return text.replaceAll(/\D/g, '').replace(/^0+/, '').length <= MAX_DIGITS
}
