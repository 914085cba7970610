import { differByOne } from '../search-facts.ts'
import { foldText, stemWord } from '../tokenise.ts'

/** A word as it is compared, with how it was written. */
export interface Word {
  /** Lower case, without diacritics; the parts of "X-5" are joined. */
  readonly folded: string
  readonly stem: string
  readonly raw: string
  /** Begins with a capital letter although no sentence begins there. */
  readonly capital: boolean
  /** Where it begins in the text. */
  readonly at: number
}

const pattern = /[\p{L}\p{N}\p{M}]+(?:['’.:,‐-][\p{L}\p{N}\p{M}]+)*%?/gu
/** "Faut-il": the pronoun behind a French verb is a word of its own. */
const inverted = /(?:[‐-]t)?[‐-](?:ils?|elles?|on|je|tu|nous|vous|ce|y)$/i
const elided = /^(?:l|d|j|qu|n|s|c|m|t)['’](?=\p{L}{2})/iu
const unspaced = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/

function fold(text: string): string {
  return foldText(text).replaceAll('ß', 'ss').replaceAll('œ', 'oe').replaceAll('ø', 'o')
}

const plain = /^[a-z0-9]+$/

function wordOf(raw: string, capital: boolean, at: number): Word {
  const lower = raw.toLowerCase()
  const bare = plain.test(lower)
    ? lower
    : fold(raw)
        .replace(/'(?:s|ll|re|ve|d|m|t)$/, '')
        .replace(/['‐-]/g, '')
  return { folded: bare, stem: stemWord(bare), raw, capital, at }
}

/** Whether a word at this place is the first of a sentence. */
function beginsSentence(text: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && /\s/.test(text.charAt(before)) && text.charAt(before) !== '\n') before--
  return before < 0 || /[.!?¿¡:\n"“„]/.test(text.charAt(before))
}

/** The words of a text in order; of compounds with a hyphen the whole and then its parts. Scripts without spaces give pairs. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const found of text.matchAll(pattern)) {
    const [whole] = found
    const raw = /['’‐-]/.test(whole) ? whole.replace(elided, '').replace(inverted, '') : whole
    if (unspaced.test(raw)) {
      const characters = [...raw]
      for (const [position, character] of characters.entries())
        if (position > 0) words.push(wordOf(`${characters[position - 1]}${character}`, false, found.index))
      continue
    }
    const capital = /^\p{Lu}/u.test(raw) && !beginsSentence(text, found.index)
    words.push(wordOf(raw, capital, found.index))
    if (!/[‐-]/.test(raw)) continue
    for (const part of raw.split(/[‐-]/))
      if (part.length > 1 || /\p{N}/u.test(part)) words.push(wordOf(part, capital, found.index))
  }
  return words
}

const endings =
  /^(?:e|s|es|er|ers|en|em|n|ns|d|ed|ing|ings|r|t|te|ten|ung|ungen|ly|al|a|as|o|os|ar|ado|ada|ados|adas|cion|ciones|ion|ions|ation|ations|ment|ments|able|ant|ee|ees|ez|ons|ent|x|ne|nen|st|y|ies|ied|h|ity|ance|ence)?$/

/** After four common letters a longer ending may make another word: "port", "portion". */
const shortEndings = /^(?:e|s|es|en|er|n|d|ed|ing|t|te|ten|a|as|o|os|em)?$/

/** German participles: "ausgestellt" belongs to "Ausstellung", "gebucht" to "Buchung". */
function withoutParticiple(word: string): string {
  return word.replace(/^(ab|an|auf|aus|bei|ein|mit|nach|um|vor|zu|zuruck|)ge(?=[a-z]{3,}(?:t|en)$)/, '$1')
}

/** Whether two words are forms of one, in any of the larger European languages. */
function inflected(left: string, right: string): boolean {
  let common = 0
  while (common < left.length && common < right.length && left[common] === right[common]) common++
  if (common < 4 || common < Math.min(left.length, right.length) - 2) return false
  if (common * 2 < Math.max(left.length, right.length)) return false
  const allowed = common === 4 ? shortEndings : endings
  return allowed.test(left.slice(common)) && allowed.test(right.slice(common))
}

/**
 * How well a word says another one that it is a part of: "Zimmerpreise" and "Preise" speak of the same, but who asks for a
 * "Hundeschule" is not answered by what is said of a "Hund".
 */
function compoundShare(asked: string, found: string): number {
  const [long, short] = asked.length > found.length ? [asked, found] : [found, asked]
  if (short.length < 5 || long.length < short.length + 4) return 0
  if (long.endsWith(short) || long.endsWith(short.slice(0, -1))) return 0.75
  return long.startsWith(short) ? (long === asked ? 0.4 : 0.75) : 0
}

/** How alike two words are, 0 to 1, the word of a question first; `typos` allows for one wrong letter. */
export function likeness(left: Word, right: Word, typos: boolean): number {
  if (left.folded === right.folded) return 1
  if (/\p{N}/u.test(left.folded) || /\p{N}/u.test(right.folded)) return 0
  if (left.stem === right.stem) return 0.97
  if (left.folded.length < 4 || right.folded.length < 4) return 0
  if (inflected(withoutParticiple(left.folded), withoutParticiple(right.folded))) return 0.97
  const compound = compoundShare(left.folded, right.folded)
  if (compound > 0) return compound
  if (!typos || left.folded.length < 5 || left.folded[0] !== right.folded[0]) return 0
  if (differByOne(left.folded, right.folded)) return 0.85
  return left.folded.length > 7 && differByTwo(left.folded, right.folded) ? 0.75 : 0
}

/** Two wrong letters in a long word, found by leaving out one letter of either. */
function differByTwo(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 2) return false
  for (let at = 1; at < left.length; at++) {
    const shorter = left.slice(0, at) + left.slice(at + 1)
    if (differByOne(shorter, right)) return true
  }
  return false
}
