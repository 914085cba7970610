import { type PreparedSpeech, writtenOffset } from './prepare-speech.ts'
import { stripMarkup } from './strip-markup.ts'

/**
 * What goes into the history of a clause that was heard up to `spokenOffset` of its prepared text: it ends at a whole written
 * word, keeps that word's punctuation and has no markup.
 */
export function heardText(written: string, { text, spans }: PreparedSpeech, spokenOffset: number): string {
  const heard = spokenOffset >= text.length ? written : written.slice(0, writtenOffset(spans, spokenOffset))
  return stripMarkup(heard).text.trim()
}

/** Characters of scripts without spaces are words of their own. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+(?:['’\-][[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+)*/gv
/** How far ahead a word is looked for that is not the next one: voices leave out and join words. */
const LOOK_AHEAD_WORDS = 3

/**
 * Where in a prepared text these words end, the first ones of it, as a voice names them. A voice may spell, join or leave out
 * some: a word that cannot be found counts as the next one.
 */
export function offsetOfWords(text: string, heardWords: readonly string[]): number {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    normalized: normalizeWord(word),
    end: index + word.length,
  }))
  let next = 0
  let offset = 0
  /** What is left of a word of the text that the voice names in parts. */
  let remaining = ''
  for (const heard of heardWords) {
    const normalized = normalizeWord(heard)
    if (normalized === '') continue
    if (remaining !== '' && remaining.startsWith(normalized)) {
      remaining = remaining.slice(normalized.length)
      if (remaining === '') offset = words[next - 1]?.end ?? offset
      continue
    }
    remaining = ''
    const found = words.slice(next, next + LOOK_AHEAD_WORDS).findIndex((word) => word.normalized === normalized)
    const at = words[next + Math.max(0, found)]
    if (at === undefined) return text.length
    const isPartial = found < 0 && at.normalized.startsWith(normalized)
    remaining = isPartial ? at.normalized.slice(normalized.length) : ''
    next += Math.max(0, found) + 1 + (found < 0 && !isPartial ? countJoinedWords(words, next, normalized) : 0)
    if (!isPartial) offset = words[next - 1]?.end ?? text.length
  }
  return next === words.length && remaining === '' && words.length > 0 ? text.length : offset
}

/** How many words behind the next one a voice named together with it. */
function countJoinedWords(words: readonly { readonly normalized: string }[], next: number, normalized: string): number {
  let joined = words[next]?.normalized ?? ''
  if (!normalized.startsWith(joined)) return 0
  for (let more = 1; next + more < words.length && joined.length < normalized.length; more += 1) {
    joined += words[next + more]?.normalized
    if (joined === normalized) return more
  }
  return 0
}

function normalizeWord(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** Scripts that are written without spaces between sentences. */
const UNSPACED_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/u

/** Clauses, or heard parts of them, as one text. */
export function joinClauses(clauses: readonly string[]): string {
  let joined = ''
  for (const clause of clauses) {
    if (clause === '') continue
    const isUnspaced =
      joined === '' || (UNSPACED_SCRIPTS.test(joined.slice(-1)) && UNSPACED_SCRIPTS.test(clause.slice(0, 1)))
    joined += isUnspaced ? clause : ` ${clause}`
  }
  return joined
}
