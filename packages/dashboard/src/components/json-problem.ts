import { message } from '../lib/language.ts'

type ExpectedToken = 'value' | 'key' | 'colon' | 'comma' | 'end'

export interface JsonProblem {
  /** Character offset. */
  readonly offset: number
  /** Line number, starting at 1. */
  readonly line: number
  readonly column: number
  /** A catalog message. */
  readonly reason: string
}

const REASONS: Readonly<Record<ExpectedToken, string>> = {
  value: message('Expected a value: text in double quotes, a number, true, false, null, a list or an object.'),
  key: message('Expected a name in double quotes.'),
  colon: message('Expected a colon.'),
  comma: message('Expected a comma or a closing bracket.'),
  end: message('Expected the end of the text.'),
}

type State = ExpectedToken | 'first-value' | 'first-key'

const TOKEN =
  /[ \t\n\r]*(?:(?<punctuation>[{}[\],:])|(?<quotedText>"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?<literal>(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))|$)/uy

/** Finds the first syntax error. Browsers report errors inconsistently. */
export function findJsonProblem(text: string): JsonProblem | null {
  const openBrackets: ('{' | '[')[] = []
  let state: State = 'value'
  let offset = 0
  for (;;) {
    TOKEN.lastIndex = offset
    const match = TOKEN.exec(text)
    const start = skipSpace(text, offset)
    if (match === null) return buildProblem(text, start, state)
    offset = TOKEN.lastIndex
    const { punctuation, quotedText, literal } = match.groups ?? {}
    if (punctuation === undefined && quotedText === undefined && literal === undefined) {
      return state === 'end' ? null : buildProblem(text, start, state)
    }
    const nextState: State | null =
      punctuation === undefined
        ? getStateAfterScalar(state, quotedText !== undefined, openBrackets)
        : getStateAfterPunctuation(state, punctuation, openBrackets)
    if (nextState === null) return buildProblem(text, start, state)
    state = nextState
  }
}

const expectsValue = (state: State): boolean => state === 'value' || state === 'first-value'
const getStateAfterValue = (openBrackets: readonly string[]): State => (openBrackets.length === 0 ? 'end' : 'comma')

function getStateAfterScalar(state: State, isString: boolean, openBrackets: readonly string[]): State | null {
  if (expectsValue(state)) return getStateAfterValue(openBrackets)
  return isString && (state === 'key' || state === 'first-key') ? 'colon' : null
}

function getStateAfterPunctuation(state: State, punctuation: string, openBrackets: ('{' | '[')[]): State | null {
  const openBracket = openBrackets.at(-1)
  switch (punctuation) {
    case '{':
    case '[':
      if (!expectsValue(state)) return null
      openBrackets.push(punctuation)
      return punctuation === '{' ? 'first-key' : 'first-value'
    case ':':
      return state === 'colon' ? 'value' : null
    case ',':
      if (state !== 'comma') return null
      return openBracket === '{' ? 'key' : 'value'
    default: {
      const isEmpty = state === (punctuation === '}' ? 'first-key' : 'first-value')
      if (openBracket !== (punctuation === '}' ? '{' : '[') || (state !== 'comma' && !isEmpty)) return null
      openBrackets.pop()
      return getStateAfterValue(openBrackets)
    }
  }
}

function skipSpace(text: string, start: number): number {
  let offset = start
  while (offset < text.length && ' \t\n\r'.includes(text.charAt(offset))) offset += 1
  return offset
}

const FIRST_TOKENS: Readonly<Record<'first-value' | 'first-key', ExpectedToken>> = {
  'first-value': 'value',
  'first-key': 'key',
}

function buildProblem(text: string, offset: number, state: State): JsonProblem {
  const lines = text.slice(0, offset).split('\n')
  const expectedToken = state === 'first-value' || state === 'first-key' ? FIRST_TOKENS[state] : state
  return { offset, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, reason: REASONS[expectedToken] }
}
