import { findWrittenOffset, type PreparedSpeech } from './prepare-speech.ts'
import { stripMarkup } from './strip-markup.ts'

/**
 * Returns the written text that was heard up to `spokenOffset` in the prepared text: complete words with punctuation, without
 * markup.
 */
export function getHeardText(writtenText: string, { text, spans }: PreparedSpeech, spokenOffset: number): string {
  const heardText =
    spokenOffset >= text.length ? writtenText : writtenText.slice(0, findWrittenOffset(spans, spokenOffset))
  return stripMarkup(heardText).text.trim()
}

/** Characters of scripts without spaces count as words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+(?:['’\-][[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+)*/gv
/** Number of words to search ahead, because voices omit and join words. */
const LOOK_AHEAD_WORDS = 3

/**
 * Returns the offset in a prepared text after the first words that a voice reported. A word that cannot be found counts as
 * the next word in the text.
 */
export function findOffsetOfWords(text: string, heardWords: readonly string[]): number {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    normalized: normalizeWord(word),
    end: index + word.length,
  }))
  let nextIndex = 0
  let offset = 0
  /** Remaining part of a word that the voice reports in several parts. */
  let remainingPart = ''
  for (const heardWord of heardWords) {
    const normalized = normalizeWord(heardWord)
    if (normalized === '') continue
    if (remainingPart !== '' && remainingPart.startsWith(normalized)) {
      remainingPart = remainingPart.slice(normalized.length)
      if (remainingPart === '') offset = words[nextIndex - 1]?.end ?? offset
      continue
    }
    remainingPart = ''
    const matchIndex = words
      .slice(nextIndex, nextIndex + LOOK_AHEAD_WORDS)
      .findIndex((word) => word.normalized === normalized)
    const matchingWord = words[nextIndex + Math.max(0, matchIndex)]
    if (matchingWord === undefined) return text.length
    const isPartial = matchIndex < 0 && matchingWord.normalized.startsWith(normalized)
    remainingPart = isPartial ? matchingWord.normalized.slice(normalized.length) : ''
    nextIndex +=
      Math.max(0, matchIndex) + 1 + (matchIndex < 0 && !isPartial ? countJoinedWords(words, nextIndex, normalized) : 0)
    if (!isPartial) offset = words[nextIndex - 1]?.end ?? text.length
  }
  return nextIndex === words.length && remainingPart === '' && words.length > 0 ? text.length : offset
}

/** Returns the number of following words that the voice reported together with the next word. */
function countJoinedWords(
  words: readonly { readonly normalized: string }[],
  nextIndex: number,
  normalized: string,
): number {
  let joinedWord = words[nextIndex]?.normalized ?? ''
  if (!normalized.startsWith(joinedWord)) return 0
  for (let count = 1; nextIndex + count < words.length && joinedWord.length < normalized.length; count += 1) {
    joinedWord += words[nextIndex + count]?.normalized
    if (joinedWord === normalized) return count
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
  let joinedText = ''
  for (const clause of clauses) {
    if (clause === '') continue
    const isUnspaced =
      joinedText === '' || (UNSPACED_SCRIPTS.test(joinedText.slice(-1)) && UNSPACED_SCRIPTS.test(clause.slice(0, 1)))
    joinedText += isUnspaced ? clause : ` ${clause}`
  }
  return joinedText
}
