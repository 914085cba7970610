import { type Comparison, type Condition, type EquationInput, readEquation } from '@parley/contract/flow-equation'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'

/** Cached by equation object, because engines are immutable. `null` marks an unreadable equation, which is never true. */
const conditions = new WeakMap<EquationInput, Condition | null>()

/**
 * Whether an equation is true. An unreadable equation is false.
 *
 * Variables are rendered once, so a value that contains `{{x}}` stays unchanged. If a side contains an unset variable, only
 * `not_exist`, `!=` and `not_contains` are true. A variable with an empty value exists.
 *
 * Two numbers compare as numbers, unless one has too many digits for a number, as an ID may have. Other values compare as
 * trimmed text. `==` and `!=` are exact, except that `true` and `false` ignore case. `<` and similar operators compare
 * characters, which orders ISO dates. `contains` ignores case. A number and a text have no order: `age > 17` is false if
 * `age` is `old`. If both sides are quoted, they compare as text, so that `"007" == "7"` is false.
 */
export function evaluateEquation(equation: EquationInput, lookup: VariableLookup): boolean {
  let condition = conditions.get(equation)
  if (condition === undefined) {
    const parsedEquation = readEquation(equation)
    condition = parsedEquation.type === 'condition' ? parsedEquation.condition : null
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
      return evaluateComparison(condition, lookup)
  }
}

function evaluateComparison({ left, operator, right, asText }: Comparison, lookup: VariableLookup): boolean {
  const areEqual = asText ? areTextsEqual : areValuesEqual
  const compareOrder = asText ? compareTexts : compareValues
  const first = renderOperand(left, lookup)
  const second = renderOperand(right ?? '', lookup)
  const areBothSet = first !== null && second !== null
  switch (operator) {
    case 'exists':
      return first !== null
    case 'not_exist':
      return first === null
    case '==':
      return areBothSet && areEqual(first, second)
    case '!=':
      return !areBothSet || !areEqual(first, second)
    case '>':
      return areBothSet && compareOrder(first, second) > 0
    case '>=':
      return areBothSet && compareOrder(first, second) >= 0
    case '<':
      return areBothSet && compareOrder(first, second) < 0
    case '<=':
      return areBothSet && compareOrder(first, second) <= 0
    case 'contains':
      return areBothSet && containsText(first, second)
    case 'not_contains':
      return !areBothSet || !containsText(first, second)
  }
}

function containsText(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

/** Renders one side of an equation, or returns `null` if it contains an unset variable. */
function renderOperand(text: string, lookup: VariableLookup): string | null {
  // Unset expressions keep their braces, so the check ignores braces in values.
  const unbracedText = renderTemplate(text, (name) => lookup(name)?.replaceAll(/[{}]/g, ' '))
  const openingIndex = unbracedText.indexOf('{{')
  if (openingIndex >= 0 && unbracedText.includes('}}', openingIndex + 2)) return null
  return renderTemplate(text, lookup).trim()
}

function areTextsEqual(first: string, second: string): boolean {
  return first === second
}

function areValuesEqual(first: string, second: string): boolean {
  if (first === second) return true
  if (isBoolean(first) && isBoolean(second)) return first.toLowerCase() === second.toLowerCase()
  const numbers = toNumbers(first, second)
  return numbers !== null && numbers[0] === numbers[1]
}

/** Returns a negative number, zero or a positive number, or NaN for a number and a text, which have no order. */
function compareValues(first: string, second: string): number {
  const numbers = toNumbers(first, second)
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

function toNumbers(first: string, second: string): readonly [number, number] | null {
  return isNumber(first) && isNumber(second) ? [Number(first), Number(second)] : null
}

function isNumber(text: string): boolean {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) return false
  return text.replaceAll(/\D/g, '').replace(/^0+/, '').length <= MAX_DIGITS
}
