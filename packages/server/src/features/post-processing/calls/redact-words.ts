import type { CallEvent } from '@parley/contract/call-event'
import type { RedactedText, Redactor, TextContext } from '../redaction/redactor.ts'
import { formatPlaceholder, type PersonalRange } from '../redaction/word-patterns.ts'

type Word = Extract<CallEvent, { type: 'user-message' }>['words'][number]

interface Span {
  readonly start: number
  readonly end: number
}

/** A message with its redacted text. */
interface RedactedMessage extends RedactedText {
  readonly content: string
  readonly context: TextContext
}

/**
 * Redacts a message's timed words. Consecutive words of one name or number become one placeholder. If personal data
 * cannot be matched with words, all words are removed.
 */
export function redactWords(
  words: readonly Word[],
  message: RedactedMessage,
  redactor: Pick<Redactor, 'findRanges'>,
): Word[] {
  const { content, context, ranges: contentRanges } = message
  // The text was too long to search and has been omitted.
  if (contentRanges.length === 0 && message.text !== content) return []
  const spokenText = joinWords(words)
  const spokenRanges = spokenText.text === content ? contentRanges : redactor.findRanges(spokenText.text, context)
  if (contentRanges.length === 0 && spokenRanges.length === 0) return [...words]
  const alignedSpans = alignWords(words, content)
  if (!coversRanges(alignedSpans, contentRanges, content)) return []
  const wordRanges = words.map(
    (_word, index) =>
      findOverlap(alignedSpans[index], contentRanges) ?? findOverlap(spokenText.spans[index], spokenRanges),
  )
  return mergeRedactedWords(words, wordRanges)
}

function joinWords(words: readonly Word[]): { readonly text: string; readonly spans: readonly Span[] } {
  let start = 0
  const spans = words.map(({ word }) => {
    const span = { start, end: start + word.length }
    start = span.end + 1
    return span
  })
  return { text: words.map(({ word }) => word).join(' '), spans }
}

/** Returns the position of each word in the text, or null for words without a match. */
function alignWords(words: readonly Word[], content: string): (Span | null)[] {
  const lowercased = content.toLowerCase()
  const text = lowercased.length === content.length ? lowercased : content
  let position = 0
  return words.map(({ word }) => {
    const bareWord = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    if (bareWord === '') return null
    const start = text.indexOf(text === lowercased ? bareWord.toLowerCase() : bareWord, position)
    if (start < 0) return null
    position = start + bareWord.length
    return { start, end: position }
  })
}

/** Whether words cover every letter and digit of the ranges. */
function coversRanges(
  alignedSpans: readonly (Span | null)[],
  ranges: readonly PersonalRange[],
  content: string,
): boolean {
  return ranges.every(({ start, end }) => {
    let position = start
    for (const span of alignedSpans) {
      if (span === null || span.end <= position || span.start >= end) continue
      if (/[\p{L}\p{N}]/u.test(content.slice(position, span.start))) return false
      position = span.end
    }
    return !/[\p{L}\p{N}]/u.test(content.slice(position, end))
  })
}

function findOverlap(span: Span | null | undefined, ranges: readonly PersonalRange[]): PersonalRange | null {
  if (span === null || span === undefined) return null
  return ranges.find(({ start, end }) => start < span.end && span.start < end) ?? null
}

function mergeRedactedWords(words: readonly Word[], wordRanges: readonly (PersonalRange | null)[]): Word[] {
  const mergedWords: Word[] = []
  let previousRange: PersonalRange | null = null
  for (const [index, word] of words.entries()) {
    const range = wordRanges[index] ?? null
    const lastWord = mergedWords.at(-1)
    if (range === null) mergedWords.push(word)
    else if (range === previousRange && lastWord !== undefined)
      mergedWords[mergedWords.length - 1] = { ...lastWord, endMs: word.endMs }
    else mergedWords.push({ ...word, word: formatPlaceholder(range.category) })
    previousRange = range
  }
  return mergedWords
}
