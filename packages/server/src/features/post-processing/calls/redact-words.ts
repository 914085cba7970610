import type { CallEvent } from '@parley/contract/call-event'
import type { RedactedText, Redactor, TextSource } from '../redaction/redactor.ts'
import { formatPlaceholder, type PersonalRange } from '../redaction/word-patterns.ts'

type Word = Extract<CallEvent, { type: 'user-message' }>['words'][number]

interface Span {
  readonly start: number
  readonly end: number
}

/** A message with its redacted text. */
interface RedactedMessage extends RedactedText {
  readonly content: string
  readonly source: TextSource
}

/**
 * Redacts the words of a message. A name or number of several words becomes one word that spans all of them. If words cannot be
 * matched with a text that contains personal data, all words are removed.
 */
export function redactWords(
  words: readonly Word[],
  message: RedactedMessage,
  redactor: Pick<Redactor, 'find'>,
): Word[] {
  const { content, source, ranges: inContent } = message
  // The text is too long to search.
  if (inContent.length === 0 && message.text !== content) return []
  const spoken = joinWords(words)
  const inSpoken = spoken.text === content ? inContent : redactor.find(spoken.text, source)
  if (inContent.length === 0 && inSpoken.length === 0) return [...words]
  const aligned = alignWords(words, content)
  if (!coversRanges(aligned, inContent, content)) return []
  const hits = words.map(
    (_word, index) => findOverlap(aligned[index], inContent) ?? findOverlap(spoken.spans[index], inSpoken),
  )
  return mergeRedactedWords(words, hits)
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

/** Finds the position of each word in the text, in order. Words without a match get null. */
function alignWords(words: readonly Word[], content: string): (Span | null)[] {
  const lower = content.toLowerCase()
  const text = lower.length === content.length ? lower : content
  let from = 0
  return words.map(({ word }) => {
    const wordOnly = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    if (wordOnly === '') return null
    const start = text.indexOf(text === lower ? wordOnly.toLowerCase() : wordOnly, from)
    if (start < 0) return null
    from = start + wordOnly.length
    return { start, end: from }
  })
}

/** Whether every letter and digit of the ranges belongs to a word. */
function coversRanges(aligned: readonly (Span | null)[], ranges: readonly PersonalRange[], content: string): boolean {
  return ranges.every(({ start, end }) => {
    let at = start
    for (const span of aligned) {
      if (span === null || span.end <= at || span.start >= end) continue
      if (/[\p{L}\p{N}]/u.test(content.slice(at, span.start))) return false
      at = span.end
    }
    return !/[\p{L}\p{N}]/u.test(content.slice(at, end))
  })
}

function findOverlap(span: Span | null | undefined, ranges: readonly PersonalRange[]): PersonalRange | null {
  if (span === null || span === undefined) return null
  return ranges.find(({ start, end }) => start < span.end && span.start < end) ?? null
}

function mergeRedactedWords(words: readonly Word[], hits: readonly (PersonalRange | null)[]): Word[] {
  const merged: Word[] = []
  let open: PersonalRange | null = null
  for (const [index, word] of words.entries()) {
    const hit = hits[index] ?? null
    const last = merged.at(-1)
    if (hit === null) merged.push(word)
    else if (hit === open && last !== undefined) merged[merged.length - 1] = { ...last, endMs: word.endMs }
    else merged.push({ ...word, word: formatPlaceholder(hit.category) })
    open = hit
  }
  return merged
}
