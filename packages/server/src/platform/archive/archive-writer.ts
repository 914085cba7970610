import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { crc32, createGzip } from 'node:zlib'
import { z } from 'zod'
import { createTableDigest, type TableDigest } from './table-digest.ts'

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

/** Writes one archive. Nothing has its name before it is complete and on the disk. */
export interface ArchiveWriter extends AsyncDisposable {
  /** Begins the rows of the next table of the header. */
  table(name: string): Promise<void>
  rows(lines: readonly string[]): Promise<void>
  /** Completes the file and returns what is in it. */
  finish(): Promise<{ readonly tables: ReadonlyMap<string, TableDigest>; readonly sizeBytes: number }>
}

/** Begins an archive under a name of its own beside `file`; disposing before the end removes it. */
export async function createArchiveWriter(file: string, header: ArchiveHeader): Promise<ArchiveWriter> {
  const draft = draftOf(file)
  await rm(draft, { force: true })
  // Read by its owner only: it holds what people said.
  const handle = await open(draft, 'wx', 0o600)
  const gzip = createGzip()
  const hash = createHash('sha256')
  let sizeBytes = 0
  const written = (async () => {
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      hash.update(chunk)
      sizeBytes += chunk.length
      await handle.writeFile(chunk)
    }
  })()
  // Heard of where it is awaited: by the next line or the end.
  let failure: unknown = null
  written.catch((error: unknown) => {
    failure = error
    gzip.destroy()
  })
  const write = async (text: string): Promise<void> => {
    if (failure !== null) throw failure
    if (gzip.write(text)) return
    await Promise.race([new Promise((resolve) => gzip.once('drain', resolve)), written])
    if (failure !== null) throw failure
  }
  const digests = new Map<string, ReturnType<typeof createTableDigest>>()
  let current = createTableDigest()
  let isOpen = true
  const discard = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    gzip.destroy()
    await written.catch(() => undefined)
    await handle.close()
    await rm(draft, { force: true })
  }
  await write(`${JSON.stringify(header)}\n`)
  return {
    async table(name) {
      current = createTableDigest()
      digests.set(name, current)
      await write(`${JSON.stringify({ table: name })}\n`)
    },
    async rows(lines) {
      current.add(lines)
      if (lines.length > 0) await write(`${lines.join('\n')}\n`)
    },
    async finish() {
      const tables = new Map([...digests].map(([name, digest]) => [name, digest.finish()]))
      await write(`${JSON.stringify({ end: [...tables].map(([name, digest]) => ({ name, ...digest })) })}\n`)
      gzip.end()
      await finished(gzip).catch(() => undefined)
      await written
      const trailer = trailerOf(hash)
      await handle.writeFile(trailer)
      await keep(handle, draft, file)
      isOpen = false
      return { tables, sizeBytes: sizeBytes + trailer.length }
    },
    [Symbol.asyncDispose]: discard,
  }
}

/** The name of an archive that is being written. */
function draftOf(file: string): string {
  return `${file}.${process.pid}.part`
}

/** First the bytes, then the name. */
async function keep(handle: FileHandle, draft: string, file: string): Promise<void> {
  await handle.sync()
  await handle.close()
  await rename(draft, file)
  await syncFolder(dirname(file))
}

/** A new name is on the disk when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
