/** What reading one document may take. */
export interface DocumentLimits {
  /** From the moment when a process begins with it. */
  readonly timeMs: number
  /** until a process begins with it. */
  readonly waitMs: number
  /** Documents that wait for a process; further ones are put off. */
  readonly maxQueued: number
  /** Of the process that reads it. */
  readonly memoryBytes: number
  readonly pages: number
  /** Of the text, in UTF-16 code units. */
  readonly characters: number
  /** Of what a container (docx, xlsx) holds, once unpacked. */
  readonly unpackedBytes: number
  /** How often a container may be smaller than what it holds, where that is more than a little. */
  readonly unpackedRatio: number
  /** Files in a container. */
  readonly entries: number
  readonly tableRows: number
  readonly tableColumns: number
  /** Of JSON: arrays and objects within each other. */
  readonly nesting: number
  /** Of e-mails: attachments of attachments. */
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

/** Links of a page that are kept. */
export const MAX_LINKS = 5_000
