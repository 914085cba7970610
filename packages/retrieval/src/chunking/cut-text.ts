import { sentenceEnds } from './sentence-ends.ts'

const words = new Intl.Segmenter('und', { granularity: 'word' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Read beyond a limit, so that a character that reaches across it is seen whole. */
const LOOKAHEAD = 64

/**
 * Cuts a text into pieces of at most `maxSize` UTF-16 units: at ends of sentences, in sentences that are too long between words, in
 * words that are too long between characters as people see them. Pieces are about equally long, so that none is left with a
 * few words. White space at the cuts is dropped, nothing else.
 */
export function cutText(text: string, maxSize: number): string[] {
  if (text.length <= maxSize) return [text]
  const target = balancedSize(text.length, maxSize)
  const parts: string[] = []
  let start = 0
  let end = 0
  const close = (): void => {
    const part = text.slice(start, end).trim()
    if (part !== '') parts.push(part)
    start = end
  }
  for (const next of breakPositions(text, maxSize)) {
    if (end > start && (next - start > maxSize || end - start >= target)) close()
    end = next
  }
  close()
  return parts
}

/** What each of the fewest parts of at most `maxSize` would measure if they were all alike. */
export function balancedSize(totalSize: number, maxSize: number): number {
  return totalSize / Math.ceil(totalSize / maxSize)
}

function breakPositions(text: string, maxSize: number): number[] {
  const ends: number[] = []
  let start = 0
  for (const end of sentenceEnds(text)) {
    while (end - start > maxSize) {
      start = cutBefore(text, start, start + maxSize)
      ends.push(start)
    }
    ends.push(end)
    start = end
  }
  return ends
}

/** The last good place for a cut that is not behind `limit`, and behind `start` in any case. */
function cutBefore(text: string, start: number, limit: number): number {
  const half = start + (limit - start) / 2
  for (let at = limit; at > half; at -= 1) if (isWhitespaceAt(text, at)) return at
  const window = text.slice(start, limit + LOOKAHEAD)
  const offset = limit - start
  const word = words.segment(window).containing(offset)
  if (word !== undefined && start + word.index > half) return start + word.index
  const grapheme = graphemes.segment(window).containing(offset)
  if (grapheme !== undefined && grapheme.index > 0) return start + grapheme.index
  // One character with more marks than a piece is long: its marks are parted, a pair of surrogates never.
  const splitsPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(limit - 1, limit + 1))
  return splitsPair && limit - 1 > start ? limit - 1 : limit
}

function isWhitespaceAt(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at)) && !/^\s?[\s\p{M}\u200d]/u.test(text.slice(at + 1, at + 4))
}
