import { createHash } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type ArchiveHeader, trailerOf } from './archive-format.ts'
import { createTableDigest, type TableDigest } from './table-digest.ts'

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
