import { FIELDS, type Segment } from './read-segment.ts'
import { FLAG_IN_HEADINGS, FLAG_IN_TITLE, FLAG_SINGLE_OCCURRENCE } from './segment-format.ts'

/** BM25F (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework"): how late frequency saturates. */
export const TERM_SATURATION = 2
/** How far the lengths of text, headings and title count: passages are cut to similar lengths, headings are not. */
export const LENGTH_NORMALIZATION: readonly number[] = [0.6, 0.75, 0.75]
/** What an occurrence in the text, in headings and in the title counts. */
export const FIELD_WEIGHTS: readonly number[] = [1, 2, 2]

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
  /** Words of a text, headings and a title. */
  readonly averageLengths: readonly number[]
}

/** Adds a list of postings of a source to scores: where it begins among the bytes of its segment, and how long it is. */
export type AddPostings = (
  source: { readonly segment: Segment; readonly firstChunk: number },
  start: number,
  frequency: number,
) => void

/** What an occurrence in a field of some length counts. */
export function fieldWeight(field: number, length: number, averageLength: number): number {
  const share = LENGTH_NORMALIZATION[field] as number
  return (FIELD_WEIGHTS[field] as number) / (1 - share + (share * length) / averageLength)
}

/** Makes what adds the postings of one term to the scores of a word. Segments have been checked when they were read. */
export function createPostingAdder({ scores, share, firstChunk, averageLengths }: PostingScorer): AddPostings {
  const { values, shares, chunks } = scores
  const [averageText, averageHeadings, averageTitle] = averageLengths as [number, number, number]
  const scale = share * (TERM_SATURATION + 1)
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
      if ((posting & FLAG_SINGLE_OCCURRENCE) === 0) {
        byte = bytes[at++] as number
        occurrences = byte & 127
        for (let shift = 7; byte > 127; shift += 7) {
          byte = bytes[at++] as number
          occurrences |= (byte & 127) << shift
        }
      }
      const field = local * FIELDS
      if (occurrences > 0) occurrences *= fieldWeight(0, lengths[field] as number, averageText)
      if ((posting & FLAG_IN_HEADINGS) !== 0) {
        occurrences += fieldWeight(1, lengths[field + 1] as number, averageHeadings)
      }
      if ((posting & FLAG_IN_TITLE) !== 0) occurrences += fieldWeight(2, lengths[field + 2] as number, averageTitle)
      const value = (scale * occurrences) / (occurrences + TERM_SATURATION)
      const chunk = first + local
      const before = values[chunk] as number
      if (before === 0) chunks[count++] = chunk
      if (value > before) values[chunk] = value
      if (share > (shares[chunk] as number)) shares[chunk] = share
    }
    scores.count = count
  }
}
