import { findWrittenOffset, type PreparedSpeech } from './prepare-speech.ts'
import { stripMarkup } from './strip-markup.ts'

/**
 * Returns the written text that was heard up to `spokenOffset` in the prepared text: complete words with punctuation, without
 * markup.
 */
export function getHeardText(written: string, { text, spans }: PreparedSpeech, spokenOffset: number): string {
  const heard = spokenOffset >= text.length ? written : written.slice(0, findWrittenOffset(spans, spokenOffset))
  return stripMarkup(heard).text.trim()
}

/** Characters of scripts without spaces count as words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+(?:['’\-][[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+)*/gv
/** Number of words to search ahead, because voices omit and join words. */
const LOOK_AHEAD_WORDS = 3

/**
 * Returns the end of the given first words, as a voice reports them, in a prepared text. A word that cannot be found counts as
 * the next word in the text.
 */
export function findOffsetOfWords(text: string, heardWords: readonly string[]): number {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    normalized: normalizeWord(word),
    end: index + word.length,
  }))
  let next = 0
  let offset = 0
  /** Remaining part of a word that the voice reports in several parts. */
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

/** Returns the number of following words that the voice reported together with the next word. */
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

/** Scripts without spaces between sentences. */
const UNSPACED_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/u

/** Joins clauses or their heard parts. */
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
