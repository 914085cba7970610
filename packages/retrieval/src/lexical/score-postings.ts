import { FIELDS, type Segment } from './read-segment.ts'
import { FLAG_IN_HEADINGS, FLAG_IN_TITLE, FLAG_SINGLE_OCCURRENCE } from './segment-format.ts'

/** k1 of BM25F (Robertson & Zaragoza 2009, "The Probabilistic Relevance Framework"). */
export const TERM_SATURATION = 2
/** Length normalization of text, headings and title. Passages have similar lengths, headings do not. */
export const LENGTH_NORMALIZATION: readonly number[] = [0.6, 0.75, 0.75]
/** Weights of occurrences in text, headings and title. */
export const FIELD_WEIGHTS: readonly number[] = [1, 2, 2]

/** Scores of chunks for one word; chunks are numbered across all searched indexes. */
export interface WordScores {
  /** Best saturated frequency times the weight of its term. */
  readonly values: Float64Array
  /** Best weight of a matched term; 1 for the word itself. */
  readonly shares: Float64Array
  /** The first `count` entries are the scored chunks. */
  readonly chunks: Int32Array
  count: number
}

/** How the postings of a term are scored. */
export interface PostingScorer {
  readonly scores: WordScores
  /** Above 0, at most 1; below 1 for terms that only resemble the word. */
  readonly share: number
  /** Number of the index's first chunk across all indexes. */
  readonly firstChunk: number
  /** Average number of words in text, headings and title. */
  readonly averageLengths: readonly number[]
}

/** Adds the scores of a posting list, given its offset and length in the segment. */
export type AddPostings = (
  source: { readonly segment: Segment; readonly firstChunk: number },
  start: number,
  frequency: number,
) => void

/** Computes the weight of an occurrence in a field of the given length. */
export function computeFieldWeight(field: number, length: number, averageLength: number): number {
  const share = LENGTH_NORMALIZATION[field] as number
  return (FIELD_WEIGHTS[field] as number) / (1 - share + (share * length) / averageLength)
}

/** Returns a function that adds a term's postings to the scores. Segments are already validated. */
export function createPostingAdder({ scores, share, firstChunk, averageLengths }: PostingScorer): AddPostings {
  const { values, shares, chunks } = scores
  const [averageText, averageHeadings, averageTitle] = averageLengths as [number, number, number]
  const scale = share * (TERM_SATURATION + 1)
  return (source, start, frequency) => {
    const { bytes, lengths } = source.segment
    const baseChunk = firstChunk + source.firstChunk
    let count = scores.count
    let offset = start
    let sourceChunk = -1
    for (let remaining = frequency; remaining > 0; remaining--) {
      let byte = bytes[offset++] as number
      let posting = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[offset++] as number
        posting |= (byte & 127) << shift
      }
      sourceChunk += (posting >>> 3) + 1
      let occurrences = 1
      if ((posting & FLAG_SINGLE_OCCURRENCE) === 0) {
        byte = bytes[offset++] as number
        occurrences = byte & 127
        for (let shift = 7; byte > 127; shift += 7) {
          byte = bytes[offset++] as number
          occurrences |= (byte & 127) << shift
        }
      }
      const lengthIndex = sourceChunk * FIELDS
      if (occurrences > 0) occurrences *= computeFieldWeight(0, lengths[lengthIndex] as number, averageText)
      if ((posting & FLAG_IN_HEADINGS) !== 0) {
        occurrences += computeFieldWeight(1, lengths[lengthIndex + 1] as number, averageHeadings)
      }
      if ((posting & FLAG_IN_TITLE) !== 0)
        occurrences += computeFieldWeight(2, lengths[lengthIndex + 2] as number, averageTitle)
      const value = (scale * occurrences) / (occurrences + TERM_SATURATION)
      const chunk = baseChunk + sourceChunk
      const previousValue = values[chunk] as number
      if (previousValue === 0) chunks[count++] = chunk
      if (value > previousValue) values[chunk] = value
      if (share > (shares[chunk] as number)) shares[chunk] = share
    }
    scores.count = count
  }
}
