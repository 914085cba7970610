import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip } from 'node:zlib'
import type { z } from 'zod'
import { ArchiveError, StoppedError } from './archive-error.ts'
import {
  ARCHIVE_VERSION,
  ArchiveFooter,
  ArchiveHeader,
  buildDigestMember,
  RowLine,
  TableLine,
  TRAILER_BYTES,
} from './archive-writer.ts'
import { createTableDigest, findDifferingTables, type TableDigest } from './table-digest.ts'
import type { Row, TableShape } from './table-shape.ts'

/** Longer than any row, so that a forged archive cannot exhaust memory. */
const MAX_LINE_CHARACTERS = 256 * 1024 * 1024
const GZIP_MAGIC = 0x1f8b

/** A batch of rows of one table. */
export interface ArchivedRows {
  readonly table: TableShape
  readonly rows: readonly Row[]
}

export interface VerifiedArchive {
  readonly header: ArchiveHeader
  readonly tables: ReadonlyMap<string, TableDigest>
}

/** Reads the whole archive. Throws unless every byte and every table is unchanged. */
export async function verifyArchive(file: string, signal: AbortSignal): Promise<VerifiedArchive> {
  await verifyBytes(file, signal)
  const tables = new Map<string, TableDigest>()
  const header = await readHeader(file)
  for await (const _rowBatch of readArchive(file, signal, tables)) {
    // Reading also counts and hashes the rows.
  }
  return { header, tables }
}

/** Reads only the first line, which is the header. */
async function readHeader(file: string): Promise<ArchiveHeader> {
  for await (const [line] of readLines(file)) return parseHeader(file, line)
  throw createCorruptArchiveError(file)
}

/** Yields all rows in order. At the end, `tables` contains their digests, which match the footer. */
export async function* readArchive(
  file: string,
  signal: AbortSignal,
  tables: Map<string, TableDigest> = new Map(),
): AsyncIterable<ArchivedRows> {
  const state = new ArchiveState(file)
  for await (const lines of readLines(file)) {
    if (signal.aborted) throw new StoppedError('Stopped.')
    yield* state.processLines(lines)
  }
  for (const [name, digest] of state.finish()) tables.set(name, digest)
}

/** Assigns an archive's lines to tables and verifies them. */
class ArchiveState {
  readonly #file: string
  readonly #digests = new Map<string, ReturnType<typeof createTableDigest>>()
  readonly #pendingTables: TableShape[] = []
  #hasHeader = false
  #currentTable: TableShape | null = null
  #footer: ReadonlyMap<string, TableDigest> | null = null

  constructor(file: string) {
    this.#file = file
  }

  *processLines(lines: readonly string[]): Iterable<ArchivedRows> {
    let start = 0
    for (let index = 0; index <= lines.length; index += 1) {
      if (index < lines.length && this.#hasHeader && lines[index]?.startsWith('[')) continue
      const rows = lines.slice(start, index)
      if (rows.length > 0) yield this.#toRows(rows)
      const line = lines[index]
      if (line !== undefined) this.#handleMetaLine(line)
      start = index + 1
    }
  }

  finish(): ReadonlyMap<string, TableDigest> {
    const digests = new Map([...this.#digests].map(([name, digest]) => [name, digest.finish()]))
    if (this.#footer === null || findDifferingTables(digests, this.#footer).length > 0)
      throw createCorruptArchiveError(this.#file)
    return digests
  }

  #toRows(lines: readonly string[]): ArchivedRows {
    const table = this.#currentTable
    if (table === null || this.#footer !== null) throw createCorruptArchiveError(this.#file)
    this.#digests.get(table.name)?.add(lines)
    const rows = lines.map((line) => this.#parse(RowLine, line))
    if (rows.some((row) => row.length !== table.columns.length)) throw createCorruptArchiveError(this.#file)
    return { table, rows }
  }

  /** Handles a line that is not a row. */
  #handleMetaLine(line: string): void {
    if (!this.#hasHeader) {
      this.#pendingTables.push(...parseHeader(this.#file, line).tables)
      this.#hasHeader = true
      return
    }
    const nextTable = this.#pendingTables.shift()
    if (nextTable === undefined) {
      if (this.#footer !== null) throw createCorruptArchiveError(this.#file)
      this.#footer = new Map(
        this.#parse(ArchiveFooter, line).end.map(({ name, rows, sha256 }) => [name, { rows, sha256 }]),
      )
      return
    }
    if (this.#parse(TableLine, line).table !== nextTable.name) throw createCorruptArchiveError(this.#file)
    this.#currentTable = nextTable
    this.#digests.set(nextTable.name, createTableDigest())
  }

  #parse<Schema extends z.ZodType>(schema: Schema, line: string): z.output<Schema> {
    const result = schema.safeParse(parseJson(line))
    if (!result.success) throw createCorruptArchiveError(this.#file)
    return result.data
  }
}

function parseHeader(file: string, line: string | undefined): ArchiveHeader {
  const value = parseJson(line ?? '')
  const { format, version } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  if (format !== 'parley-archive') throw new ArchiveError(`${file} is not a Parley backup.`)
  if (typeof version === 'number' && version > ARCHIVE_VERSION) {
    throw new ArchiveError(`${file} was written by a newer version of Parley: restore it with that version.`)
  }
  const result = ArchiveHeader.safeParse(value)
  if (!result.success) throw createCorruptArchiveError(file)
  return result.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Yields the lines of the first gzip member, in batches of one file chunk. */
async function* readLines(file: string): AsyncIterable<string[]> {
  const { size } = await readFileEnds(file)
  const source = createReadStream(file, { end: Math.max(0, size - TRAILER_BYTES - 1) })
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  const decoder = new StringDecoder('utf8')
  let partialLine = ''
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      const lines = (partialLine + decoder.write(chunk)).split('\n')
      partialLine = lines.pop() ?? ''
      if (partialLine.length > MAX_LINE_CHARACTERS) throw createCorruptArchiveError(file)
      if (lines.length > 0) yield lines
    }
  } catch (error) {
    if (isGzipError(error)) throw createCorruptArchiveError(file)
    throw error
  } finally {
    source.destroy()
    gunzip.destroy()
  }
  if (partialLine !== '') throw createCorruptArchiveError(file)
}

function isGzipError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

/** Compares the whole file with the digest at its end. Throws if they differ. */
async function verifyBytes(file: string, signal: AbortSignal): Promise<void> {
  const { size, magic, trailer } = await readFileEnds(file)
  if (magic !== GZIP_MAGIC) throw new ArchiveError(`${file} is not a Parley backup.`)
  if (trailer === null) throw createCorruptArchiveError(file)
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file, { end: size - TRAILER_BYTES - 1 }) as AsyncIterable<Buffer>) {
    if (signal.aborted) throw new StoppedError('Stopped.')
    hash.update(chunk)
  }
  if (!buildDigestMember(hash).equals(trailer)) throw createCorruptArchiveError(file)
}

async function readFileEnds(file: string): Promise<{ size: number; magic: number; trailer: Buffer | null }> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const magicBytes = Buffer.alloc(2)
    await handle.read(magicBytes, 0, 2, 0)
    const magic = magicBytes.readUInt16BE(0)
    if (size <= TRAILER_BYTES) return { size, magic, trailer: null }
    const trailer = Buffer.alloc(TRAILER_BYTES)
    await handle.read(trailer, 0, TRAILER_BYTES, size - TRAILER_BYTES)
    return { size, magic, trailer }
  } finally {
    await handle.close()
  }
}

function createCorruptArchiveError(file: string): ArchiveError {
  return new ArchiveError(`${file} is incomplete or damaged: nothing was restored. Use another copy of the backup.`)
}
