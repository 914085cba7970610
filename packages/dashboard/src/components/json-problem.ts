import { message } from '../lib/language.ts'

type Expected = 'value' | 'key' | 'colon' | 'comma' | 'end'

export interface JsonProblem {
  /** Character offset. */
  readonly at: number
  /** Line number, starting at 1. */
  readonly line: number
  readonly column: number
  /** Translated by `t`. */
  readonly reason: string
}

const REASONS: Readonly<Record<Expected, string>> = {
  value: message('Expected a value: text in double quotes, a number, true, false, null, a list or an object.'),
  key: message('Expected a name in double quotes.'),
  colon: message('Expected a colon.'),
  comma: message('Expected a comma or a closing bracket.'),
  end: message('Expected the end of the text.'),
}

type State = Expected | 'first-value' | 'first-key'

const TOKEN =
  /[ \t\n\r]*(?:(?<mark>[{}[\],:])|(?<text>"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?<word>(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))|$)/uy

/** Finds the first syntax error, which browsers report inconsistently. */
export function findJsonProblem(text: string): JsonProblem | null {
  const open: ('{' | '[')[] = []
  let state: State = 'value'
  let at = 0
  for (;;) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    const start = skipSpace(text, at)
    if (match === null) return buildProblem(text, start, state)
    at = TOKEN.lastIndex
    const { mark, text: quoted, word } = match.groups ?? {}
    if (mark === undefined && quoted === undefined && word === undefined) {
      return state === 'end' ? null : buildProblem(text, start, state)
    }
    const next: State | null =
      mark === undefined ? getStateAfterWord(state, quoted !== undefined, open) : getStateAfterMark(state, mark, open)
    if (next === null) return buildProblem(text, start, state)
    state = next
  }
}

const expectsValue = (state: State): boolean => state === 'value' || state === 'first-value'
const getStateAfterValue = (open: readonly string[]): State => (open.length === 0 ? 'end' : 'comma')

function getStateAfterWord(state: State, isText: boolean, open: readonly string[]): State | null {
  if (expectsValue(state)) return getStateAfterValue(open)
  return isText && (state === 'key' || state === 'first-key') ? 'colon' : null
}

function getStateAfterMark(state: State, mark: string, open: ('{' | '[')[]): State | null {
  const inside = open.at(-1)
  switch (mark) {
    case '{':
    case '[':
      if (!expectsValue(state)) return null
      open.push(mark)
      return mark === '{' ? 'first-key' : 'first-value'
    case ':':
      return state === 'colon' ? 'value' : null
    case ',':
      if (state !== 'comma') return null
      return inside === '{' ? 'key' : 'value'
    default: {
      const isEmpty = state === (mark === '}' ? 'first-key' : 'first-value')
      if (inside !== (mark === '}' ? '{' : '[') || (state !== 'comma' && !isEmpty)) return null
      open.pop()
      return getStateAfterValue(open)
    }
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1
  return at
}

const EXPECTED: Readonly<Record<'first-value' | 'first-key', Expected>> = { 'first-value': 'value', 'first-key': 'key' }

function buildProblem(text: string, at: number, state: State): JsonProblem {
  const lines = text.slice(0, at).split('\n')
  const expected = state === 'first-value' || state === 'first-key' ? EXPECTED[state] : state
  return { at, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, reason: REASONS[expected] }
}
