import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { z } from 'zod'

/**
 * An archive is two gzip members. The first holds lines of JSON: the header, for each table its name and then each row as an
 * array, and the footer with the counts and digests of all tables. The second, stored without compression and therefore
 * always of the same bytes, holds the SHA-256 of the first member: any changed, missing or added byte is noticed.
 */

/** Raised when a reader of today could not understand what is written. */
export const ARCHIVE_VERSION = 1

const NAME = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)

const ArchivedTable = z.object({
  name: NAME,
  columns: z.array(z.object({ name: NAME, kind: z.enum(['text', 'integer', 'real']) })).min(1),
  key: z.array(NAME).min(1),
})

/** What comes before any row. */
export const ArchiveHeader = z.object({
  format: z.literal('parley-archive'),
  version: z.number().int(),
  createdAt: z.iso.datetime(),
  /** Steps of the schema that the rows belong to. */
  steps: z.array(z.string()).min(1),
  /** Tells whether a secret key is the one that values are sealed with, and nothing about the key. */
  keyFingerprint: z.string(),
  /** In the order in which they come, each after those that it refers to. */
  tables: z.array(ArchivedTable),
})
export type ArchiveHeader = z.output<typeof ArchiveHeader>

/** The line before the rows of a table. */
export const TableLine = z.object({ table: NAME })

/** The last line. */
export const ArchiveFooter = z.object({
  end: z.array(z.object({ name: NAME, rows: z.number().int(), sha256: z.string() })),
})

/** A row of a table: strings, numbers and nulls. */
export const RowLine = z.array(z.union([z.string(), z.number(), z.null()]))

/** Deflate's block of stored bytes, the last one: RFC 1951, 3.2.4. */
const STORED_LAST_BLOCK = 1
/** RFC 1952: deflate, no flags, no time, no level, unknown system. */
const GZIP_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

/** The second member for a digest of the first. */
export function trailerOf(hash: Hash): Buffer {
  const text = Buffer.from(`${JSON.stringify({ archiveSha256: hash.digest('hex') })}\n`)
  const block = Buffer.alloc(5)
  block.writeUInt8(STORED_LAST_BLOCK, 0)
  block.writeUInt16LE(text.length, 1)
  block.writeUInt16LE(~text.length & 0xffff, 3)
  const check = Buffer.alloc(8)
  check.writeUInt32LE(crc32(text), 0)
  check.writeUInt32LE(text.length, 4)
  return Buffer.concat([Buffer.from(GZIP_HEADER), block, text, check])
}

/** The same for all archives. */
export const TRAILER_BYTES = trailerOf(createHash('sha256')).length
