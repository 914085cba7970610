import type { Segment } from './read-segment.ts'
import { FLAG_COUNTED_ONCE, FLAG_IN_HEADINGS, FLAG_IN_TITLE } from './segment-format.ts'

/**
 * BM25 (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework"), its length normalised by half only: passages are
 * cut to similar lengths, so that a long one rather says more than wanders off. Frequency saturates late, since what a passage
 * is about stands in its headings and text alike, and that is what tells it from its near-duplicates.
 */
export const SATURATION = 2
export const LENGTH_SHARE = 0.5
/** What standing in a heading or title counts, in occurrences within the text. */
export const HEADING_WEIGHT = 3
export const TITLE_WEIGHT = 0.8

/** What chunks got for one word of a question; chunks are numbered over all indexes that are searched. */
export interface WordScores {
  /** The best saturated frequency, times the share of the term that it is of. */
  readonly values: Float64Array
  /** The best share of a term that the chunk has: 1 when it has the word itself. */
  readonly shares: Float64Array
  /** Chunks that got something, `count` of them. */
  readonly chunks: Int32Array
  count: number
}

/** How the postings of a term count. */
export interface PostingScorer {
  readonly scores: WordScores
  /** Above 0, at most 1: below for terms that are only like the word. */
  readonly share: number
  /** Number of the index's first chunk among those of all indexes. */
  readonly firstChunk: number
  readonly averageLength: number
}

/** Adds a list of postings of a source to scores: where it begins among the bytes of its segment, and how long it is. */
export type AddPostings = (
  source: { readonly segment: Segment; readonly firstChunk: number },
  start: number,
  frequency: number,
) => void

/** Makes what adds the postings of one term to the scores of a word. Segments have been checked when they were read. */
export function postingAdder({ scores, share, firstChunk, averageLength }: PostingScorer): AddPostings {
  const { values, shares, chunks } = scores
  const base = SATURATION * (1 - LENGTH_SHARE)
  const perWord = (SATURATION * LENGTH_SHARE) / averageLength
  const scale = share * (SATURATION + 1)
  return (source, start, frequency) => {
    const { bytes, lengths } = source.segment
    const first = firstChunk + source.firstChunk
    let count = scores.count
    let at = start
    let local = -1
    for (let left = frequency; left > 0; left--) {
      let byte = bytes[at++] as number
      let posting = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] as number
        posting |= (byte & 127) << shift
      }
      local += (posting >>> 3) + 1
      let occurrences = 1
      if ((posting & FLAG_COUNTED_ONCE) === 0) {
        byte = bytes[at++] as number
        occurrences = byte & 127
        for (let shift = 7; byte > 127; shift += 7) {
          byte = bytes[at++] as number
          occurrences |= (byte & 127) << shift
        }
      }
      if ((posting & FLAG_IN_HEADINGS) !== 0) occurrences += HEADING_WEIGHT
      if ((posting & FLAG_IN_TITLE) !== 0) occurrences += TITLE_WEIGHT
      const value = (scale * occurrences) / (occurrences + base + perWord * (lengths[local] as number))
      const chunk = first + local
      const before = values[chunk] as number
      if (before === 0) chunks[count++] = chunk
      if (value > before) values[chunk] = value
      if (share > (shares[chunk] as number)) shares[chunk] = share
    }
    scores.count = count
  }
}
