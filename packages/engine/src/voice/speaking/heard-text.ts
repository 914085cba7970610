import { findWrittenOffset, type PreparedSpeech } from './prepare-speech.ts'
import { stripMarkup } from './strip-markup.ts'

/**
 * Returns the part of the written text that was heard, as complete words with punctuation and without markup. `spokenOffset`
 * is the end of the heard part in the prepared text.
 */
export function getHeardText(writtenText: string, { text, spans }: PreparedSpeech, spokenOffset: number): string {
  const heardText =
    spokenOffset >= text.length ? writtenText : writtenText.slice(0, findWrittenOffset(spans, spokenOffset))
  return stripMarkup(heardText).text.trim()
}

/** Characters of scripts without spaces count as words. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+(?:['’\-][[\p{L}\p{M}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+)*/gv
/** Number of words to search ahead, because synthesizers omit and merge words. */
const LOOKAHEAD_WORDS = 3

/**
 * Returns the offset in the prepared text after the words that the synthesizer reported as spoken. An unknown word counts as
 * the next word in the text.
 */
export function findOffsetAfterWords(text: string, heardWords: readonly string[]): number {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    normalized: normalizeWord(word),
    end: index + word.length,
  }))
  let nextIndex = 0
  let offset = 0
  /** Unreported part of a word that the synthesizer reports in several parts. */
  let remainingPart = ''
  for (const heardWord of heardWords) {
    const normalizedWord = normalizeWord(heardWord)
    if (normalizedWord === '') continue
    if (remainingPart !== '' && remainingPart.startsWith(normalizedWord)) {
      remainingPart = remainingPart.slice(normalizedWord.length)
      if (remainingPart === '') offset = words[nextIndex - 1]?.end ?? offset
      continue
    }
    remainingPart = ''
    const matchIndex = words
      .slice(nextIndex, nextIndex + LOOKAHEAD_WORDS)
      .findIndex((word) => word.normalized === normalizedWord)
    const matchingWord = words[nextIndex + Math.max(0, matchIndex)]
    if (matchingWord === undefined) return text.length
    const isPartial = matchIndex < 0 && matchingWord.normalized.startsWith(normalizedWord)
    remainingPart = isPartial ? matchingWord.normalized.slice(normalizedWord.length) : ''
    nextIndex +=
      Math.max(0, matchIndex) +
      1 +
      (matchIndex < 0 && !isPartial ? countJoinedWords(words, nextIndex, normalizedWord) : 0)
    if (!isPartial) offset = words[nextIndex - 1]?.end ?? text.length
  }
  return nextIndex === words.length && remainingPart === '' && words.length > 0 ? text.length : offset
}

/** Counts the words after the next one that the synthesizer merged into the reported word. */
function countJoinedWords(
  words: readonly { readonly normalized: string }[],
  nextIndex: number,
  reportedWord: string,
): number {
  let joinedWord = words[nextIndex]?.normalized ?? ''
  if (!reportedWord.startsWith(joinedWord)) return 0
  for (let count = 1; nextIndex + count < words.length && joinedWord.length < reportedWord.length; count += 1) {
    joinedWord += words[nextIndex + count]?.normalized
    if (joinedWord === reportedWord) return count
  }
  return 0
}

function normalizeWord(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** Matches characters of scripts without spaces between sentences. */
const UNSPACED_SCRIPTS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFFEF]/u

/** Joins clauses with spaces, except in scripts without spaces. */
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
