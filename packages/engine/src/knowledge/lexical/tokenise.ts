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
export interface TokenisedText {
  readonly tokens: readonly Token[]
  readonly joined: readonly JoinedToken[]
}

const RUN = /[\p{L}\p{N}\p{M}]+(?:[-‐‑–_.,:/'’&@+][\p{L}\p{N}\p{M}]+)*/gu
const PIECE = /\p{N}+(?:[.,:/]\p{N}+)*|[\p{L}\p{M}]+/gu
const PLAIN_WORD = /^[a-z]+$/
const NUMBER = /^\p{N}/u
const MONEY = /[€$£¥%]/
const WITHOUT_SPACES =
  /[\p{Script=Han}々]+|\p{Script=Hiragana}+|[\p{Script=Katakana}ー]+|\p{Script=Hangul}+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu
const UNIT = /\P{M}\p{M}*/gu
const FIRST_WITHOUT_SPACES = 0x0e00

/** Longer ones are cut: what equals in so much is the same word. */
const LONGEST_TERM = 40
const LONGEST_JOINED = 30
const MOST_JOINED = 4

interface Target {
  readonly tokens: Token[]
  readonly joined: JoinedToken[]
}

/** Cuts a text into words, numbers and bigrams. The same for documents and for questions. */
export function tokenise(text: string): TokenisedText {
  const lower = lowerCase(text)
  const target: Target = { tokens: [], joined: [] }
  for (const match of lower.matchAll(RUN)) {
    const run = match[0]
    if (PLAIN_WORD.test(run)) target.tokens.push({ text: run.slice(0, LONGEST_TERM), kind: 'word' })
    else readRun(run, target, moneyAround(lower, match.index, match.index + run.length))
  }
  return target
}

/** The sign of a currency, or of percent, at a number: `€ 4.50`, `4,50 €`. */
function moneyAround(text: string, from: number, to: number): string {
  const before = text[from - 1] === ' ' ? text[from - 2] : text[from - 1]
  if (before !== undefined && before !== '%' && MONEY.test(before)) return before
  const after = text[to] === ' ' ? text[to + 1] : text[to]
  return after !== undefined && MONEY.test(after) ? after : ''
}

function readRun(run: string, target: Target, money: string): void {
  const whole = new Joining(target)
  const close = new Joining(target)
  let end = 0
  for (const match of run.matchAll(PIECE)) {
    const piece = match[0].slice(0, LONGEST_TERM)
    const between = run.slice(end, match.index)
    const numeric = NUMBER.test(piece)
    if (between !== '') close.end()
    if (!joins(between, numeric, whole.lastIsNumber)) whole.end(close.lastText)
    end = match.index + match[0].length
    const first = target.tokens.length
    if (numeric) readNumber(piece, target, money)
    else readLetters(piece, target)
    for (const joining of [whole, close]) joining.add(piece, { first, last: target.tokens.length - 1, numeric })
  }
  close.end()
  whole.end(close.lastText)
}

/** Whether two pieces are also written as one. A hyphen between numbers is a range. */
function joins(between: string, numeric: boolean, afterNumber: boolean): boolean {
  if (between === '') return true
  return /^[-‐‑_&+]$/.test(between) && !(numeric && afterNumber)
}

/** Pieces that belong together, put together. */
class Joining {
  readonly #target: Target
  #text = ''
  #pieces = 0
  #first = 0
  #last = 0
  lastIsNumber = false
  lastText = ''

  constructor(target: Target) {
    this.#target = target
  }

  add(piece: string, at: { readonly first: number; readonly last: number; readonly numeric: boolean }): void {
    if (this.#pieces === 0) this.#first = at.first
    this.#text += piece
    this.#pieces++
    this.#last = at.last
    this.lastIsNumber = at.numeric
  }

  /** `known`: what has been put together already. */
  end(known = ''): void {
    if (
      this.#pieces > 1 &&
      this.#pieces <= MOST_JOINED &&
      this.#text.length <= LONGEST_JOINED &&
      this.#text !== known
    ) {
      const kind = /\p{N}/u.test(this.#text) ? 'number' : 'word'
      this.#target.joined.push({ text: this.#text, kind, first: this.#first, last: this.#last, indexOnly: false })
      this.lastText = this.#text
    }
    this.#text = ''
    this.#pieces = 0
  }
}

const THOUSANDS = /^\d{1,3}(?:[.,]\d{3})+$/
const DECIMAL = /^(\d{1,3}(?:[.,]\d{3})+|\d+)[.,](\d{1,2})$/
const TIME = /^0?(\d{1,2}):(\d\d)$/

/** `4,50` and `4.50`, `1.200` and `1200`, `18.00` and `18`, `09:30` and `9:30` are the same; other compounds keep their form. */
function readNumber(piece: string, target: Target, money: string): void {
  const at = target.tokens.length
  const time = TIME.exec(piece)
  const decimal = DECIMAL.exec(piece)
  const joined = (text: string, first: number, indexOnly: boolean): void => {
    target.joined.push({ text, kind: 'number', first, last: target.tokens.length - 1, indexOnly })
  }
  if (time !== null) {
    target.tokens.push({ text: `${time[1]}:${time[2]}`, kind: 'number' })
    if (time[2] === '00') joined(time[1] ?? '', at, true)
    return
  }
  let number = piece
  if (decimal !== null) {
    const [, whole = '', decimals = ''] = decimal
    number = whole.replace(/[.,]/g, '') + (decimals === '00' ? '' : `.${decimals}`)
  } else if (THOUSANDS.test(piece)) number = piece.replace(/[.,]/g, '')
  else if (/[.,:/]/.test(piece)) {
    for (const part of piece.split(/[.,:/]/)) if (part !== '') target.tokens.push({ text: part, kind: 'number' })
    joined(piece, at, false)
    return
  }
  target.tokens.push({ text: number, kind: 'number' })
  if (money !== '') joined(money + number, at, false)
}

function readLetters(piece: string, target: Target): void {
  if (!mayLackSpaces(piece)) {
    target.tokens.push({ text: piece, kind: 'word' })
    return
  }
  let end = 0
  for (const match of piece.matchAll(WITHOUT_SPACES)) {
    if (match.index > end) target.tokens.push({ text: piece.slice(end, match.index), kind: 'word' })
    end = match.index + match[0].length
    const units = match[0].match(UNIT) ?? [match[0]]
    if (units.length === 1) target.tokens.push({ text: match[0], kind: 'gram' })
    for (let at = 0; at + 1 < units.length; at++) {
      target.tokens.push({ text: `${units[at]}${units[at + 1]}`, kind: 'gram' })
    }
  }
  if (end < piece.length) target.tokens.push({ text: piece.slice(end), kind: 'word' })
}

function mayLackSpaces(piece: string): boolean {
  for (let at = 0; at < piece.length; at++) if (piece.charCodeAt(at) >= FIRST_WITHOUT_SPACES) return true
  return false
}
