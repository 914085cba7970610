/** A passage of a source, the unit that is indexed and returned by searches. */
export interface Chunk {
  /** Position within its source, from 0. */
  readonly position: number
  /** Enclosing headings, outermost first; not repeated in `text`. */
  readonly headings: readonly string[]
  /** First page of the passage, from 1; `null` for sources without pages. */
  readonly page: number | null
  readonly text: string
}

/** Limits of a passage, in characters. */
export interface ChunkSizes {
  /** Maximum length of a passage. */
  readonly maxChunkSize: number
  /** Adjacent blocks under the same heading are joined up to this length. */
  readonly minChunkSize: number
}
