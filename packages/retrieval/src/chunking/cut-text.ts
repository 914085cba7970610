const words = new Intl.Segmenter('und', { granularity: 'word' })
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** Number of characters read beyond a limit, so that a grapheme at the limit is not split. */
const LOOKAHEAD = 64

/**
 * Cuts a text into pieces of similar size, at most `maxSize` UTF-16 units: at sentence ends, else between words, else
 * between graphemes. Drops only the white space at the cuts.
 */
export function cutText(text: string, maxSize: number): string[] {
  if (text.length <= maxSize) return [text]
  const target = computeBalancedSize(text.length, maxSize)
  const parts: string[] = []
  let start = 0
  let end = 0
  const close = (): void => {
    const part = text.slice(start, end).trim()
    if (part !== '') parts.push(part)
    start = end
  }
  for (const next of findBreakPositions(text, maxSize)) {
    if (end > start && (next - start > maxSize || end - start >= target)) close()
    end = next
  }
  close()
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

/** Finds the last suitable position for a cut between `start` and `limit`. */
function findCutBefore(text: string, start: number, limit: number): number {
  const half = start + (limit - start) / 2
  for (let position = limit; position > half; position -= 1) if (isWhitespaceAt(text, position)) return position
  const window = text.slice(start, limit + LOOKAHEAD)
  const offset = limit - start
  const word = words.segment(window).containing(offset)
  if (word !== undefined && start + word.index > half) return start + word.index
  const grapheme = graphemes.segment(window).containing(offset)
  if (grapheme !== undefined && grapheme.index > 0) return start + grapheme.index
  // A grapheme longer than a piece is split between its marks, never within a surrogate pair.
  const splitsPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(limit - 1, limit + 1))
  return splitsPair && limit - 1 > start ? limit - 1 : limit
}

function isWhitespaceAt(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at)) && !/^\s?[\s\p{M}\u200d]/u.test(text.slice(at + 1, at + 4))
}

/** A sentence end with closing quotes and brackets. Scripts with their own marks need no space after them. */
const CANDIDATE =
  /(?<![.!?…؟۔।։።])[.!?…؟۔।։።]{1,200}["'”’»)\]]*\s+(?![\s\p{M}\u200d])|[。！？｡．।။།៕។]{1,200}[”’」』）】]*\s*(?![\s\p{M}\u200d])/gu

/** Abbreviations that end with a full stop within sentences. */
const ABBREVIATION =
  /(?:^|[\s("'„«])(?:dr|mr|mrs|ms|prof|st|no|nr|nos|approx|incl|excl|inkl|exkl|etc|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|a\.m|p\.m|min|max|tel|vs|ca|bzw|ggf|evtl|zzgl|abs|art|sr|sra|jr|inc|ltd|co|str|av|env|par ex|ej|pág|fig|vol|\p{L})$/iu

/** Number of characters before a full stop that are searched for an abbreviation. */
const LOOKBEHIND = 12

/** Returns the end offsets of all sentences, including trailing white space. */
export function findSentenceEnds(text: string): number[] {
  const ends: number[] = []
  for (const match of text.matchAll(CANDIDATE)) {
    const end = match.index + match[0].length
    if (end < text.length && isEnd(text, match.index, match[0], end)) ends.push(end)
  }
  ends.push(text.length)
  return ends
}

function isEnd(text: string, markAt: number, mark: string, end: number): boolean {
  if (!mark.startsWith('.') || mark.startsWith('..')) return true
  // "on 3. May" and "no. 4" do not end a sentence, nor does a following lower-case letter.
  if (/^[\p{Ll}]/u.test(text.slice(end, end + 2))) return false
  const precedingText = text.slice(Math.max(0, markAt - LOOKBEHIND), markAt)
  return !/(?:^|\s)\d{1,2}$/.test(precedingText) && !ABBREVIATION.test(precedingText)
}
