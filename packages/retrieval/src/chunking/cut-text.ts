const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' })
const graphemeSegmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Number of characters read beyond a limit, so that a grapheme at the limit is not split. */
const LOOKAHEAD = 64

/**
 * Splits a text into parts of similar size, at most `maxSize` UTF-16 units. Prefers sentence ends over word boundaries,
 * and word boundaries over grapheme boundaries. Drops only the white space between parts.
 */
export function cutText(text: string, maxSize: number): string[] {
  if (text.length <= maxSize) return [text]
  const target = computeBalancedSize(text.length, maxSize)
  const parts: string[] = []
  let start = 0
  let end = 0
  const addPart = (): void => {
    const part = text.slice(start, end).trim()
    if (part !== '') parts.push(part)
    start = end
  }
  for (const position of findBreakPositions(text, maxSize)) {
    if (end > start && (position - start > maxSize || end - start >= target)) addPart()
    end = position
  }
  addPart()
  return parts
}

/** Returns the part size for the smallest number of equally long parts. */
export function computeBalancedSize(totalSize: number, maxSize: number): number {
  return totalSize / Math.ceil(totalSize / maxSize)
}

function findBreakPositions(text: string, maxSize: number): number[] {
  const ends: number[] = []
  let start = 0
  for (const end of findSentenceEnds(text)) {
    while (end - start > maxSize) {
      start = findCutBefore(text, start, start + maxSize)
      ends.push(start)
    }
    ends.push(end)
    start = end
  }
  return ends
}

/** Returns the last suitable position for a split between `start` and `limit`. */
function findCutBefore(text: string, start: number, limit: number): number {
  const half = start + (limit - start) / 2
  for (let position = limit; position > half; position -= 1) if (isWhitespaceAt(text, position)) return position
  const window = text.slice(start, limit + LOOKAHEAD)
  const offset = limit - start
  const word = wordSegmenter.segment(window).containing(offset)
  if (word !== undefined && start + word.index > half) return start + word.index
  const grapheme = graphemeSegmenter.segment(window).containing(offset)
  if (grapheme !== undefined && grapheme.index > 0) return start + grapheme.index
  // A grapheme longer than a part is split, but never within a surrogate pair.
  const splitsPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(limit - 1, limit + 1))
  return splitsPair && limit - 1 > start ? limit - 1 : limit
}

function isWhitespaceAt(text: string, position: number): boolean {
  return /\s/.test(text.charAt(position)) && !/^\s?[\s\p{M}\u200d]/u.test(text.slice(position + 1, position + 4))
}

/** A possible sentence end with closing quotes and brackets. Full-width punctuation needs no space after it. */
const SENTENCE_END =
  /(?<![.!?…؟۔।։።])[.!?…؟۔।։።]{1,200}["'”’»)\]]*\s+(?![\s\p{M}\u200d])|[。！？｡．।။།៕។]{1,200}[”’」』）】]*\s*(?![\s\p{M}\u200d])/gu

/** Abbreviations that end with a full stop within sentences. */
const ABBREVIATION =
  /(?:^|[\s("'„«])(?:dr|mr|mrs|ms|prof|st|no|nr|nos|approx|incl|excl|inkl|exkl|etc|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|a\.m|p\.m|min|max|tel|vs|ca|bzw|ggf|evtl|zzgl|abs|art|sr|sra|jr|inc|ltd|co|str|av|env|par ex|ej|pág|fig|vol|\p{L})$/iu

/** Number of characters before a full stop that are searched for an abbreviation. */
const LOOKBEHIND = 12

/** Returns the end offsets of all sentences, including trailing white space. */
export function findSentenceEnds(text: string): number[] {
  const ends: number[] = []
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length
    if (end < text.length && isSentenceEnd(text, match.index, match[0], end)) ends.push(end)
  }
  ends.push(text.length)
  return ends
}

function isSentenceEnd(text: string, markIndex: number, mark: string, end: number): boolean {
  if (!mark.startsWith('.') || mark.startsWith('..')) return true
  // "on 3. May" and "no. 4" do not end a sentence, nor does a following lower-case letter.
  if (/^[\p{Ll}]/u.test(text.slice(end, end + 2))) return false
  const precedingText = text.slice(Math.max(0, markIndex - LOOKBEHIND), markIndex)
  return !/(?:^|\s)\d{1,2}$/.test(precedingText) && !ABBREVIATION.test(precedingText)
}
