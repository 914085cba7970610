/** Limits for reading one document. */
export interface DocumentLimits {
  /** Maximum time to read a document. */
  readonly timeMs: number
  /** Maximum time that a document waits for a process. */
  readonly waitMs: number
  /** Maximum number of waiting documents. Further documents must be retried later. */
  readonly maxQueued: number
  /** Maximum memory of the reader process. */
  readonly memoryBytes: number
  readonly pages: number
  /** Length of the text in UTF-16 code units. */
  readonly characters: number
  /** Unpacked size of a container (docx, xlsx). */
  readonly unpackedBytes: number
  /** Maximum compression ratio of a large container. */
  readonly unpackedRatio: number
  /** Number of files in a container. */
  readonly entries: number
  readonly tableRows: number
  readonly tableColumns: number
  /** Depth of nested JSON arrays and objects. */
  readonly nesting: number
  /** Depth of nested email attachments. */
  readonly attachmentDepth: number
  readonly attachments: number
}

const MEBIBYTE = 1024 * 1024

export const DOCUMENT_LIMITS: DocumentLimits = {
  timeMs: 60_000,
  waitMs: 240_000,
  maxQueued: 100,
  memoryBytes: 768 * MEBIBYTE,
  pages: 2_000,
  characters: 5_000_000,
  unpackedBytes: 200 * MEBIBYTE,
  unpackedRatio: 200,
  entries: 5_000,
  tableRows: 50_000,
  tableColumns: 100,
  nesting: 100,
  attachmentDepth: 3,
  attachments: 50,
}

/** Maximum number of links kept per page. */
export const MAX_LINKS = 5_000
