import { type PreparedSpeech, writtenUpTo } from './prepare-speech.ts'
import { stripMarkup } from './strip-markup.ts'

/**
 * What goes into the history of a clause that was heard up to `spokenOffset` of its prepared text: it ends at a whole written
 * word, keeps that word's punctuation and has no markup.
 */
export function heardText(written: string, { text, spans }: PreparedSpeech, spokenOffset: number): string {
  const heard = spokenOffset >= text.length ? written : written.slice(0, writtenUpTo(spans, spokenOffset))
  return stripMarkup(heard).text.trim()
}

/** Characters of scripts without spaces are words of their own. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+(?:['’\-][[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+)*/gv
/** How far ahead a word is looked for that is not the next one: voices leave out and join words. */
const AHEAD = 3

/**
 * Where in a prepared text these words end, the first ones of it, as a voice names them. A voice may spell, join or leave out
 * some: a word that cannot be found counts as the next one.
 */
export function offsetOfWords(text: string, heardWords: readonly string[]): number {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ bare: bareOf(word), end: index + word.length }))
  let next = 0
  let offset = 0
  /** What is left of a word of the text that the voice names in parts. */
  let rest = ''
  for (const heard of heardWords) {
    const bare = bareOf(heard)
    if (bare === '') continue
    if (rest !== '' && rest.startsWith(bare)) {
      rest = rest.slice(bare.length)
      if (rest === '') offset = words[next - 1]?.end ?? offset
      continue
    }
    rest = ''
    const found = words.slice(next, next + AHEAD).findIndex((word) => word.bare === bare)
    const at = words[next + Math.max(0, found)]
    if (at === undefined) return text.length
    const inParts = found < 0 && at.bare.startsWith(bare)
    rest = inParts ? at.bare.slice(bare.length) : ''
    next += Math.max(0, found) + 1 + (found < 0 && !inParts ? joinedBehind(words, next, bare) : 0)
    if (!inParts) offset = words[next - 1]?.end ?? text.length
  }
  return next === words.length && rest === '' && words.length > 0 ? text.length : offset
}

/** How many words behind the next one a voice named together with it. */
function joinedBehind(words: readonly { readonly bare: string }[], next: number, bare: string): number {
  let joined = words[next]?.bare ?? ''
  if (!bare.startsWith(joined)) return 0
  for (let more = 1; next + more < words.length && joined.length < bare.length; more += 1) {
    joined += words[next + more]?.bare
    if (joined === bare) return more
  }
  return 0
}

function bareOf(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** Scripts that are written without spaces between sentences. */
const CLOSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/u

/** Clauses, or heard parts of them, as one text. */
export function joinClauses(clauses: readonly string[]): string {
  let joined = ''
  for (const clause of clauses) {
    if (clause === '') continue
    const close = joined === '' || (CLOSE.test(joined.slice(-1)) && CLOSE.test(clause.slice(0, 1)))
    joined += close ? clause : ` ${clause}`
  }
  return joined
}
