/** A part of a document in the order of reading. `page` counts from 1; `null` where there are no pages. */
export type DocumentBlock =
  /** `level` 1 is the outermost. */
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly page: number | null }
  | { readonly kind: 'paragraph'; readonly text: string; readonly page: number | null }
  | { readonly kind: 'list-item'; readonly text: string; readonly page: number | null }
  /** Lines that keep their breaks. */
  | { readonly kind: 'preformatted'; readonly text: string; readonly page: number | null }
  /** Every row has as many cells as the header; a table without one has an empty header. */
  | {
      readonly kind: 'table'
      readonly header: readonly string[]
      readonly rows: readonly (readonly string[])[]
      readonly page: number | null
    }

/** A document as text with its structure, whatever file it came from. */
export interface ReadDocument {
  /** What the document calls itself. */
  readonly title: string | null
  readonly blocks: readonly DocumentBlock[]
  readonly pageCount: number | null
  /** Absolute addresses that a page links to, without fragments, in its order; empty for everything else. */
  readonly links: readonly string[]
}
