/** A block of a document, in reading order. `page` starts at 1, and is `null` for documents without pages. */
export type DocumentBlock =
  /** Level 1 is the highest. */
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly page: number | null }
  | { readonly kind: 'paragraph'; readonly text: string; readonly page: number | null }
  | { readonly kind: 'list-item'; readonly text: string; readonly page: number | null }
  /** Text with line breaks to preserve. */
  | { readonly kind: 'preformatted'; readonly text: string; readonly page: number | null }
  /** Every row has as many cells as the header. The header is empty if the table has no header. */
  | {
      readonly kind: 'table'
      readonly header: readonly string[]
      readonly rows: readonly (readonly string[])[]
      readonly page: number | null
    }

/** The structured text of a document, independent of its file format. */
export interface ReadDocument {
  /** Title declared or found in the document. */
  readonly title: string | null
  readonly blocks: readonly DocumentBlock[]
  readonly pageCount: number | null
  /** Absolute URLs of a page's links, in page order and without fragments. Empty for other documents. */
  readonly links: readonly string[]
}
