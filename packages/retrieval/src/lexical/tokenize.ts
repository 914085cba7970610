import { lowerCase } from './fold-text.ts'

/** `word`: can be inflected; `number`: compared as it is; `gram`: a piece of a script without spaces. */
export interface Token {
  readonly text: string
  readonly kind: 'word' | 'number' | 'gram'
}

/** Tokens that are also written as one: `check-in`, `A-113`, `€4.50`. */
export interface JoinedToken extends Token {
  /** Of the first and last token that it stands for. */
  readonly first: number
  readonly last: number
  /** Another name of its token, to be found by, but never asked for. */
  readonly indexOnly: boolean
}

/** A text in terms of search, lower case and with its marks. */
export interface TokenizedText {
  readonly tokens: readonly Token[]
  readonly joined: readonly JoinedToken[]
}

const TOKEN_RUN = /[\p{L}\p{N}\p{M}]+(?:[-‐‑–_.,:/'’&@+][\p{L}\p{N}\p{M}]+)*/gu
const TOKEN_PART = /\p{N}+(?:[.,:/]\p{N}+)*|[\p{L}\p{M}]+/gu
const PLAIN_WORD = /^[a-z]+$/
const NUMBER = /^\p{N}/u
const MONEY = /[€$£¥%]/
const UNSPACED_SCRIPT =
  /[\p{Script=Han}々]+|\p{Script=Hiragana}+|[\p{Script=Katakana}ー]+|\p{Script=Hangul}+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu
const CHARACTER_WITH_MARKS = /\P{M}\p{M}*/gu
const FIRST_UNSPACED_CODE_UNIT = 0x0e00

/** Longer ones are cut: what equals in so much is the same word. */
const MAX_TERM_LENGTH = 40
const MAX_JOINED_LENGTH = 30
const MAX_JOINED_PARTS = 4

interface TokenSink {
  readonly tokens: Token[]
  readonly joined: JoinedToken[]
}

/** Cuts a text into words, numbers and bigrams. The same for documents and for questions. */
export function tokenize(text: string): TokenizedText {
  const lower = lowerCase(text)
  const sink: TokenSink = { tokens: [], joined: [] }
  for (const match of lower.matchAll(TOKEN_RUN)) {
    const run = match[0]
    if (PLAIN_WORD.test(run)) sink.tokens.push({ text: run.slice(0, MAX_TERM_LENGTH), kind: 'word' })
    else readRun(run, sink, currencyAround(lower, match.index, match.index + run.length))
  }
  return sink
}

/** The sign of a currency, or of percent, at a number: `€ 4.50`, `4,50 €`. */
function currencyAround(text: string, from: number, to: number): string {
  const before = text[from - 1] === ' ' ? text[from - 2] : text[from - 1]
  if (before !== undefined && before !== '%' && MONEY.test(before)) return before
  const after = text[to] === ' ' ? text[to + 1] : text[to]
  return after !== undefined && MONEY.test(after) ? after : ''
}

function readRun(run: string, sink: TokenSink, money: string): void {
  const whole = new TokenJoiner(sink)
  const close = new TokenJoiner(sink)
  let end = 0
  for (const match of run.matchAll(TOKEN_PART)) {
    const segment = match[0].slice(0, MAX_TERM_LENGTH)
    const between = run.slice(end, match.index)
    const numeric = NUMBER.test(segment)
    if (between !== '') close.end()
    if (!isJoined(between, numeric, whole.lastIsNumber)) whole.end(close.lastText)
    end = match.index + match[0].length
    const first = sink.tokens.length
    if (numeric) readNumber(segment, sink, money)
    else readLetters(segment, sink)
    for (const joiner of [whole, close]) joiner.add(segment, { first, last: sink.tokens.length - 1, numeric })
  }
  close.end()
  whole.end(close.lastText)
}

/** Whether two pieces are also written as one. A hyphen between numbers is a range. */
function isJoined(between: string, numeric: boolean, afterNumber: boolean): boolean {
  if (between === '') return true
  return /^[-‐‑_&+]$/.test(between) && !(numeric && afterNumber)
}

/** Pieces that belong together, put together. */
class TokenJoiner {
  readonly #sink: TokenSink
  #text = ''
  #segments = 0
  #first = 0
  #last = 0
  lastIsNumber = false
  lastText = ''

  constructor(sink: TokenSink) {
    this.#sink = sink
  }

  add(segment: string, at: { readonly first: number; readonly last: number; readonly numeric: boolean }): void {
    if (this.#segments === 0) this.#first = at.first
    this.#text += segment
    this.#segments++
    this.#last = at.last
    this.lastIsNumber = at.numeric
  }

  /** `known`: what has been put together already. */
  end(known = ''): void {
    if (
      this.#segments > 1 &&
      this.#segments <= MAX_JOINED_PARTS &&
      this.#text.length <= MAX_JOINED_LENGTH &&
      this.#text !== known
    ) {
      const kind = /\p{N}/u.test(this.#text) ? 'number' : 'word'
      this.#sink.joined.push({ text: this.#text, kind, first: this.#first, last: this.#last, indexOnly: false })
      this.lastText = this.#text
    }
    this.#text = ''
    this.#segments = 0
  }
}

const THOUSANDS = /^\d{1,3}(?:[.,]\d{3})+$/
const DECIMAL = /^(\d{1,3}(?:[.,]\d{3})+|\d+)[.,](\d{1,2})$/
const TIME = /^0?(\d{1,2}):(\d\d)$/

/** `4,50` and `4.50`, `1.200` and `1200`, `18.00` and `18`, `09:30` and `9:30` are the same; other compounds keep their form. */
function readNumber(segment: string, sink: TokenSink, money: string): void {
  const at = sink.tokens.length
  const time = TIME.exec(segment)
  const decimal = DECIMAL.exec(segment)
  const joined = (text: string, first: number, indexOnly: boolean): void => {
    sink.joined.push({ text, kind: 'number', first, last: sink.tokens.length - 1, indexOnly })
  }
  if (time !== null) {
    sink.tokens.push({ text: `${time[1]}:${time[2]}`, kind: 'number' })
    if (time[2] === '00') joined(time[1] ?? '', at, true)
    return
  }
  let number = segment
  if (decimal !== null) {
    const [, whole = '', decimals = ''] = decimal
    number = whole.replace(/[.,]/g, '') + (decimals === '00' ? '' : `.${decimals}`)
  } else if (THOUSANDS.test(segment)) number = segment.replace(/[.,]/g, '')
  else if (/[.,:/]/.test(segment)) {
    for (const part of segment.split(/[.,:/]/)) if (part !== '') sink.tokens.push({ text: part, kind: 'number' })
    joined(segment, at, false)
    return
  }
  sink.tokens.push({ text: number, kind: 'number' })
  if (money !== '') joined(money + number, at, false)
}

function readLetters(segment: string, sink: TokenSink): void {
  if (!hasUnspacedScript(segment)) {
    sink.tokens.push({ text: segment, kind: 'word' })
    return
  }
  let end = 0
  for (const match of segment.matchAll(UNSPACED_SCRIPT)) {
    if (match.index > end) sink.tokens.push({ text: segment.slice(end, match.index), kind: 'word' })
    end = match.index + match[0].length
    const units = match[0].match(CHARACTER_WITH_MARKS) ?? [match[0]]
    if (units.length === 1) sink.tokens.push({ text: match[0], kind: 'gram' })
    for (let at = 0; at + 1 < units.length; at++) {
      sink.tokens.push({ text: `${units[at]}${units[at + 1]}`, kind: 'gram' })
    }
  }
  if (end < segment.length) sink.tokens.push({ text: segment.slice(end), kind: 'word' })
}

function hasUnspacedScript(segment: string): boolean {
  for (let at = 0; at < segment.length; at++) if (segment.charCodeAt(at) >= FIRST_UNSPACED_CODE_UNIT) return true
  return false
}
