/** A passage of a source: what is indexed, found and quoted. */
export interface Chunk {
  /** Within its source, from 0. */
  readonly position: number
  /** Headings that it stands under, outermost first; not repeated in `text`. */
  readonly headings: readonly string[]
  /** Page that it begins on, from 1; `null` where there are no pages. */
  readonly page: number | null
  readonly text: string
}

/** Bounds of a passage, in characters. */
export interface ChunkSizes {
  /** No passage is longer. */
  readonly maxChunkSize: number
  /** Neighbours under the same heading are joined up to it. */
  readonly minChunkSize: number
}
