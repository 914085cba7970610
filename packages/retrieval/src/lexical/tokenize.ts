import { lowerCase } from './fold-text.ts'

/** `word`: stemmed; `number`: compared as is; `gram`: two characters of a script without spaces. */
export interface Token {
  readonly text: string
  readonly kind: 'word' | 'number' | 'gram'
}

const TOKEN = /\p{N}+(?:[.,:/]\p{N}+)*|[\p{L}\p{M}]+/gu
const NUMBER = /^\p{N}/u
const UNSPACED_SCRIPT =
  /[\p{Script=Han}々]+|\p{Script=Hiragana}+|[\p{Script=Katakana}ー]+|\p{Script=Hangul}+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu
const CHARACTER_WITH_MARKS = /\P{M}\p{M}*/gu
const FIRST_UNSPACED_CODE_UNIT = 0x0e00
/** Longer tokens are truncated. */
const MAX_TERM_LENGTH = 40

/** Splits a text into lower-case words, numbers and bigrams, for documents and questions alike. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (const match of lowerCase(text).matchAll(TOKEN)) {
    const segment = match[0].slice(0, MAX_TERM_LENGTH)
    if (NUMBER.test(segment)) addNumberTokens(segment, tokens)
    else addLetterTokens(segment, tokens)
  }
  return tokens
}

const THOUSANDS = /^\d{1,3}(?:[.,]\d{3})+$/
const DECIMAL = /^(\d{1,3}(?:[.,]\d{3})+|\d+)[.,](\d{1,2})$/
const TIME = /^0?(\d{1,2}:\d\d)$/

/** Normalizes numbers: `4,50` is `4.50`, `1.200` is `1200`, `18.00` is `18`, `09:30` is `9:30`. Splits other compounds. */
function addNumberTokens(segment: string, tokens: Token[]): void {
  const add = (text: string): number => tokens.push({ text, kind: 'number' })
  const [, time] = TIME.exec(segment) ?? []
  const [, whole, decimals] = DECIMAL.exec(segment) ?? []
  if (time !== undefined) add(time)
  else if (whole !== undefined) add(whole.replace(/[.,]/g, '') + (decimals === '00' ? '' : `.${decimals}`))
  else if (THOUSANDS.test(segment)) add(segment.replace(/[.,]/g, ''))
  else for (const part of segment.split(/[.,:/]/)) if (part !== '') add(part)
}

function addLetterTokens(segment: string, tokens: Token[]): void {
  if (!hasUnspacedScript(segment)) {
    tokens.push({ text: segment, kind: 'word' })
    return
  }
  let end = 0
  for (const match of segment.matchAll(UNSPACED_SCRIPT)) {
    if (match.index > end) tokens.push({ text: segment.slice(end, match.index), kind: 'word' })
    end = match.index + match[0].length
    const characters = match[0].match(CHARACTER_WITH_MARKS) ?? [match[0]]
    if (characters.length === 1) tokens.push({ text: match[0], kind: 'gram' })
    for (let index = 0; index + 1 < characters.length; index++) {
      tokens.push({ text: `${characters[index]}${characters[index + 1]}`, kind: 'gram' })
    }
  }
  if (end < segment.length) tokens.push({ text: segment.slice(end), kind: 'word' })
}

function hasUnspacedScript(segment: string): boolean {
  for (let index = 0; index < segment.length; index++)
    if (segment.charCodeAt(index) >= FIRST_UNSPACED_CODE_UNIT) return true
  return false
}
