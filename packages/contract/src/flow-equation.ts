/** Equations in conversation flows, such as `{{age}} >= 18 && {{city}} == "Berlin"`, as text or as a list. */

export const EQUATION_OPERATORS = [
  '==',
  '!=',
  '>',
  '>=',
  '<',
  '<=',
  'contains',
  'not_contains',
  'exists',
  'not_exist',
] as const
export type EquationOperator = (typeof EQUATION_OPERATORS)[number]

/** Maximum number of comparisons in a condition. */
export const EQUATION_LIMIT = 50
const NESTING_LIMIT = 10

/** A comparison. Both sides can contain `{{variables}}`. `right` is null for operators with one side. */
export interface Comparison {
  readonly kind: 'comparison'
  readonly left: string
  readonly operator: EquationOperator
  readonly right: string | null
  /** Set if both sides were quoted. The values are then compared as text even if they look like numbers. */
  readonly asText?: true
}

/** Parsed equation in either form. */
export type Condition = Comparison | { readonly kind: 'all' | 'any'; readonly parts: readonly Condition[] }

export type ParsedEquation =
  | { readonly type: 'condition'; readonly condition: Condition }
  /** Error message that starts with "must" and contains the position of the error. */
  | { readonly type: 'problem'; readonly message: string }

/** An equation in a body: a list joined by one operator, or text. If both are present, the list is used. */
export interface EquationInput {
  readonly equations?:
    | readonly {
        readonly left: string
        readonly operator: EquationOperator
        readonly right?: string | number | boolean | undefined
      }[]
    | undefined
  readonly operator?: '&&' | '||' | undefined
  readonly prompt?: string | undefined
}

/** Whether the operator has a right side. */
export function isBinaryOperator(operator: EquationOperator): boolean {
  return operator !== 'exists' && operator !== 'not_exist'
}

/** Parses an equation. All comparisons in a list must be true unless the operator is `||`. */
export function readEquation({ equations, operator, prompt = '' }: EquationInput): ParsedEquation {
  if (equations === undefined || equations.length === 0) return parseEquation(prompt)
  const comparisons = equations.map((equation): Comparison => {
    const right = isBinaryOperator(equation.operator) ? String(equation.right ?? '') : null
    return { kind: 'comparison', left: toVariableReference(equation.left), operator: equation.operator, right }
  })
  return { type: 'condition', condition: joinConditions(operator === '||' ? 'any' : 'all', comparisons) }
}

/**
 * Parses an equation in linear time. Comparisons can be joined by `&&` and `||` and grouped by parentheses. Values with spaces
 * must be quoted. An unquoted name on the left is a variable.
 */
export function parseEquation(text: string): ParsedEquation {
  const tokens = tokenizeEquation(text)
  if (!Array.isArray(tokens)) return tokens
  const state: ParserState = { tokens, position: 0, comparisonCount: 0, depth: 0 }
  const condition = parseJoined(state, 'any')
  if ('message' in condition) return condition
  const unexpectedToken = state.tokens[state.position]
  return unexpectedToken === undefined
    ? { type: 'condition', condition }
    : createExpectedProblem('"&&", "||" or the end', unexpectedToken)
}

type Token =
  | { readonly kind: 'operand'; readonly text: string; readonly quoted: boolean; readonly position: number }
  | { readonly kind: 'operator'; readonly text: EquationOperator; readonly position: number }
  | { readonly kind: 'punctuation'; readonly text: '&&' | '||' | '(' | ')'; readonly position: number }
type Problem = Extract<ParsedEquation, { type: 'problem' }>

const SYMBOL = /\s+|&&|\|\||[()]|[=!<>]=|[<>]/y
const QUOTED = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/sy
const BARE = /[^\s"'()&|=!<>{]+|\{(?!\{)/y

function tokenizeEquation(text: string): Token[] | Problem {
  const tokens: Token[] = []
  let position = 0
  while (position < text.length) {
    const symbol = matchPatternAt(SYMBOL, text, position)
    const quoted = symbol === null ? matchPatternAt(QUOTED, text, position) : null
    const lexeme = symbol ?? quoted
    if (lexeme === null) {
      const end = findOperandEnd(text, position)
      if (end === position)
        return createProblem(
          `must be an equation: unexpected character ${position + 1} (${quoteText(text.slice(position, position + 10))})`,
        )
      const operandText = text.slice(position, end)
      tokens.push(
        isOperator(operandText)
          ? { kind: 'operator', text: operandText, position }
          : { kind: 'operand', text: operandText, quoted: false, position },
      )
      position = end
      continue
    }
    const [lexemeText] = lexeme
    if (quoted !== null) {
      const unescapedText = (quoted[1] ?? quoted[2] ?? '').replaceAll(/\\(.)/gs, '$1')
      tokens.push({ kind: 'operand', text: unescapedText, quoted: true, position })
    } else if (isOperator(lexemeText)) tokens.push({ kind: 'operator', text: lexemeText, position })
    else if (lexemeText.trim() !== '') tokens.push({ kind: 'punctuation', text: lexemeText as '&&', position })
    position += lexemeText.length
  }
  return tokens
}

function matchPatternAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

/** Returns the end of a sequence of `{{variables}}` and unquoted characters, or `at` if there is none. */
function findOperandEnd(text: string, start: number): number {
  let end = start
  for (;;) {
    const nextEnd = text.startsWith('{{', end)
      ? findVariableEnd(text, end)
      : end + (matchPatternAt(BARE, text, end)?.[0].length ?? 0)
    if (nextEnd === end) return end
    end = nextEnd
  }
}

/** Returns the index after the matching `}}`, including nested variables, or `start` if there is none. */
function findVariableEnd(text: string, start: number): number {
  let depth = 0
  const braces = /\{\{|\}\}/g
  braces.lastIndex = start
  for (let match = braces.exec(text); match !== null; match = braces.exec(text)) {
    depth += match[0] === '{{' ? 1 : -1
    if (depth === 0) return braces.lastIndex
  }
  return start
}

interface ParserState {
  readonly tokens: readonly Token[]
  position: number
  comparisonCount: number
  depth: number
}

function parseJoined(state: ParserState, kind: 'all' | 'any'): Condition | Problem {
  const joiner = kind === 'any' ? '||' : '&&'
  const conditions: Condition[] = []
  for (;;) {
    const part = kind === 'any' ? parseJoined(state, 'all') : parseGroup(state)
    if ('message' in part) return part
    conditions.push(part)
    const nextToken = state.tokens[state.position]
    if (nextToken?.kind !== 'punctuation' || nextToken.text !== joiner) return joinConditions(kind, conditions)
    state.position += 1
  }
}

function parseGroup(state: ParserState): Condition | Problem {
  const token = state.tokens[state.position]
  if (token?.kind !== 'punctuation' || token.text !== '(') return parseComparison(state)
  if (state.depth === NESTING_LIMIT)
    return createProblem(`must not nest parentheses deeper than ${NESTING_LIMIT} levels`)
  state.position += 1
  state.depth += 1
  const condition = parseJoined(state, 'any')
  if ('message' in condition) return condition
  const closingToken = state.tokens[state.position]
  if (closingToken?.kind !== 'punctuation' || closingToken.text !== ')')
    return createExpectedProblem('")"', closingToken)
  state.position += 1
  state.depth -= 1
  return condition
}

function parseComparison(state: ParserState): Comparison | Problem {
  const [left, operator, right] = state.tokens.slice(state.position, state.position + 3)
  if (left?.kind !== 'operand') return createExpectedProblem('a variable or value', left)
  if (operator?.kind !== 'operator') return createExpectedProblem('an operator', operator)
  state.comparisonCount += 1
  if (state.comparisonCount > EQUATION_LIMIT) return createProblem(`must have at most ${EQUATION_LIMIT} comparisons`)
  const comparison = { kind: 'comparison', left: left.quoted ? left.text : toVariableReference(left.text) } as const
  state.position += 2
  if (!isBinaryOperator(operator.text)) return { ...comparison, operator: operator.text, right: null }
  if (right?.kind !== 'operand') return createExpectedProblem('a variable or value', right)
  state.position += 1
  const asText = left.quoted && right.quoted ? ({ asText: true } as const) : {}
  return { ...comparison, operator: operator.text, right: right.text, ...asText }
}

function joinConditions(kind: 'all' | 'any', parts: readonly Condition[]): Condition {
  const [firstPart] = parts
  return firstPart !== undefined && parts.length === 1 ? firstPart : { kind, parts }
}

function isOperator(text: string): text is EquationOperator {
  return (EQUATION_OPERATORS as readonly string[]).includes(text)
}

/** Converts a name to a variable. Returns other texts unchanged. */
function toVariableReference(text: string): string {
  return /^[A-Za-z_][\w.-]*$/.test(text) ? `{{${text}}}` : text
}

function createProblem(message: string): Problem {
  return { type: 'problem', message }
}

function createExpectedProblem(description: string, token: Token | undefined): Problem {
  if (token === undefined) return createProblem(`must be an equation: expected ${description} at the end`)
  return createProblem(
    `must be an equation: expected ${description} at character ${token.position + 1}, not ${quoteText(token.text)}`,
  )
}

function quoteText(text: string): string {
  return JSON.stringify(text.length > 20 ? `${text.slice(0, 20)}…` : text)
}
