import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { crc32, createGzip } from 'node:zlib'
import { z } from 'zod'
import { createTableDigest, type TableDigest } from './table-digest.ts'

/**
 * An archive consists of two gzip members. The first contains lines of JSON: the header, the name and rows of each table, and
 * the footer with counts and digests. The second contains the SHA-256 of the first. The second is stored without compression,
 * so its bytes are predictable and any changed byte is detected.
 */

/** Increased if current readers cannot read the new format. */
export const ARCHIVE_VERSION = 1

const NAME = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)

const ArchivedTable = z.object({
  name: NAME,
  columns: z.array(z.object({ name: NAME, kind: z.enum(['text', 'integer', 'real']) })).min(1),
  key: z.array(NAME).min(1),
})

/** Schema of the first line. */
export const ArchiveHeader = z.object({
  format: z.literal('parley-archive'),
  version: z.number().int(),
  createdAt: z.iso.datetime(),
  /** Migrations that had been applied when the archive was created. */
  steps: z.array(z.string()).min(1),
  /** Identifies the secret key that encrypts values, without revealing anything about the key. */
  keyFingerprint: z.string(),
  /** Tables in archive order: each table follows the tables that it references. */
  tables: z.array(ArchivedTable),
})
export type ArchiveHeader = z.output<typeof ArchiveHeader>

/** Schema of the line before the rows of a table. */
export const TableLine = z.object({ table: NAME })

/** Schema of the last line. */
export const ArchiveFooter = z.object({
  end: z.array(z.object({ name: NAME, rows: z.number().int(), sha256: z.string() })),
})

/** Schema of a table row: strings, numbers and nulls. */
export const RowLine = z.array(z.union([z.string(), z.number(), z.null()]))

/** Header of a final, stored deflate block: RFC 1951, 3.2.4. */
const STORED_LAST_BLOCK = 1
/** RFC 1952: deflate, no flags, no timestamp, no compression level, unknown operating system. */
const GZIP_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]

/** Builds the second gzip member from the digest of the first. */
export function buildDigestMember(hash: Hash): Buffer {
  const line = Buffer.from(`${JSON.stringify({ archiveSha256: hash.digest('hex') })}\n`)
  const block = Buffer.alloc(5)
  block.writeUInt8(STORED_LAST_BLOCK, 0)
  block.writeUInt16LE(line.length, 1)
  block.writeUInt16LE(~line.length & 0xffff, 3)
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(line), 0)
  trailer.writeUInt32LE(line.length, 4)
  return Buffer.concat([Buffer.from(GZIP_HEADER), block, line, trailer])
}

/** Size of the second gzip member, equal for all archives. */
export const TRAILER_BYTES = buildDigestMember(createHash('sha256')).length

/** Writes one archive. The file gets its final name once it is complete and flushed to disk. */
export interface ArchiveWriter extends AsyncDisposable {
  /** Starts the next table listed in the header. */
  startTable(name: string): Promise<void>
  writeRows(lines: readonly string[]): Promise<void>
  /** Completes the file and returns the table digests. */
  finish(): Promise<{ readonly tables: ReadonlyMap<string, TableDigest>; readonly sizeBytes: number }>
}

/** Starts an archive under a temporary name next to `file`. Disposing the writer before `finish` removes the archive. */
export async function createArchiveWriter(file: string, header: ArchiveHeader): Promise<ArchiveWriter> {
  const draftPath = buildDraftPath(file)
  await rm(draftPath, { force: true })
  // Only the owner can read the file, because it contains conversations.
  const handle = await open(draftPath, 'wx', 0o600)
  const gzip = createGzip()
  const hash = createHash('sha256')
  let sizeBytes = 0
  const writePromise = (async () => {
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      hash.update(chunk)
      sizeBytes += chunk.length
      await handle.writeFile(chunk)
    }
  })()
  // Thrown by the next write or by `finish`.
  let failure: unknown = null
  writePromise.catch((error: unknown) => {
    failure = error
    gzip.destroy()
  })
  const write = async (text: string): Promise<void> => {
    if (failure !== null) throw failure
    if (gzip.write(text)) return
    await Promise.race([new Promise((resolve) => gzip.once('drain', resolve)), writePromise])
    if (failure !== null) throw failure
  }
  const digests = new Map<string, ReturnType<typeof createTableDigest>>()
  let currentDigest = createTableDigest()
  let isOpen = true
  const discard = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    gzip.destroy()
    await writePromise.catch(() => undefined)
    await handle.close()
    await rm(draftPath, { force: true })
  }
  await write(`${JSON.stringify(header)}\n`)
  return {
    async startTable(name) {
      currentDigest = createTableDigest()
      digests.set(name, currentDigest)
      await write(`${JSON.stringify({ table: name })}\n`)
    },
    async writeRows(lines) {
      currentDigest.add(lines)
      if (lines.length > 0) await write(`${lines.join('\n')}\n`)
    },
    async finish() {
      const tables = new Map([...digests].map(([name, digest]) => [name, digest.finish()]))
      await write(`${JSON.stringify({ end: [...tables].map(([name, digest]) => ({ name, ...digest })) })}\n`)
      gzip.end()
      await finished(gzip).catch(() => undefined)
      await writePromise
      const trailer = buildDigestMember(hash)
      await handle.writeFile(trailer)
      await publishArchive(handle, draftPath, file)
      isOpen = false
      return { tables, sizeBytes: sizeBytes + trailer.length }
    },
    [Symbol.asyncDispose]: discard,
  }
}

/** Returns the temporary name of an unfinished archive. */
function buildDraftPath(file: string): string {
  return `${file}.${process.pid}.part`
}

/** Flushes the file to disk, then gives it its final name. */
async function publishArchive(handle: FileHandle, draftPath: string, file: string): Promise<void> {
  await handle.sync()
  await handle.close()
  await rename(draftPath, file)
  await syncFolder(dirname(file))
}

/** Flushes a folder to disk, so that new file names in it are durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
