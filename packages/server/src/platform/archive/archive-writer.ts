import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { crc32, createGzip } from 'node:zlib'
import { z } from 'zod'
import { createTableDigest, type TableDigest } from './table-digest.ts'

/**
 * An archive consists of two gzip members. The first holds lines of JSON: the header, for each table its name and its rows as
 * arrays, and the footer with counts and digests. The second holds the SHA-256 of the first. It is stored without compression,
 * so its bytes are predictable and any changed byte is detected.
 */

/** Raised when current readers cannot read the new format. */
export const ARCHIVE_VERSION = 1

const NAME = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)

const ArchivedTable = z.object({
  name: NAME,
  columns: z.array(z.object({ name: NAME, kind: z.enum(['text', 'integer', 'real']) })).min(1),
  key: z.array(NAME).min(1),
})

/** The first line. */
export const ArchiveHeader = z.object({
  format: z.literal('parley-archive'),
  version: z.number().int(),
  createdAt: z.iso.datetime(),
  /** Migrations that had been applied when the archive was made. */
  steps: z.array(z.string()).min(1),
  /** Identifies the secret key that seals values without revealing anything about it. */
  keyFingerprint: z.string(),
  /** In the order of the archive: each table after those that it references. */
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

/** Header of a last, stored deflate block: RFC 1951, 3.2.4. */
const STORED_LAST_BLOCK = 1
/** RFC 1952: deflate, no flags, no time, no level, unknown system. */
const GZIP_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

/** Builds the second member from the digest of the first. */
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

/** Equal for all archives. */
export const TRAILER_BYTES = trailerOf(createHash('sha256')).length

/** Writes one archive. The file gets its name once it is complete and flushed to disk. */
export interface ArchiveWriter extends AsyncDisposable {
  /** Starts the next table of the header. */
  table(name: string): Promise<void>
  rows(lines: readonly string[]): Promise<void>
  /** Completes the file and returns the digests of its tables. */
  finish(): Promise<{ readonly tables: ReadonlyMap<string, TableDigest>; readonly sizeBytes: number }>
}

/** Starts an archive under a temporary name beside `file`; disposing it before `finish` removes it. */
export async function createArchiveWriter(file: string, header: ArchiveHeader): Promise<ArchiveWriter> {
  const draft = draftOf(file)
  await rm(draft, { force: true })
  // Readable by its owner only: it holds conversations.
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
  // The next line or `finish` reports the failure.
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
      await publish(handle, draft, file)
      isOpen = false
      return { tables, sizeBytes: sizeBytes + trailer.length }
    },
    [Symbol.asyncDispose]: discard,
  }
}

/** Temporary name of an unfinished archive. */
function draftOf(file: string): string {
  return `${file}.${process.pid}.part`
}

/** Flushes the bytes before the file gets its name. */
async function publish(handle: FileHandle, draft: string, file: string): Promise<void> {
  await handle.sync()
  await handle.close()
  await rename(draft, file)
  await syncFolder(dirname(file))
}

/** Flushes a folder, which makes new names in it durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
