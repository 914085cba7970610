import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '@parley/engine/ports'
import { computeFingerprint } from '../secrets/installation.ts'
import { ArchiveError } from './archive-error.ts'
import { readArchive, type VerifiedArchive, verifyArchive } from './archive-reader.ts'
import { syncFolder } from './archive-writer.ts'
import { type Address, type Connection, runInTransaction, toSqliteAddress } from './connection.ts'
import {
  applyMigrations,
  assertEmpty,
  assertKnownMigrations,
  digestTables,
  emptyTables,
  openConnection,
  type ProgressOptions,
  readShapes,
} from './installation.ts'
import { findDifferingTables, type TableDigest } from './table-digest.ts'
import { assertSameShapes } from './table-shape.ts'

export interface RestoreOptions extends ProgressOptions {
  readonly file: string
  /** Address of an empty database. */
  readonly to: Address
  readonly secretKey: string
  readonly clock: Omit<Clock, 'after'>
}

export interface RestoreResult {
  readonly createdAt: string
  readonly tables: ReadonlyMap<string, TableDigest>
}

/** Restores an archive into an empty database and migrates it to this version, atomically. */
export async function restoreArchive(options: RestoreOptions): Promise<RestoreResult> {
  const { file, to, secretKey, signal } = options
  if (to.kind === 'sqlite') assertFileMissing(to.file)
  const archive = await verifyArchive(file, signal)
  if (archive.header.keyFingerprint !== computeFingerprint(secretKey)) {
    throw new ArchiveError(
      `${file} was created with a different secret key: set the SECRET_KEY of its installation, or copy its secret.key file ` +
        'into DATA_DIR.',
    )
  }
  if (to.kind === 'sqlite') await restoreFile(options, archive, to.file)
  else {
    await using target = await openConnection(to, 'write')
    await assertEmpty(target)
    await loadArchive(target, options, archive)
    await target.analyze()
  }
  return { createdAt: archive.header.createdAt, tables: archive.tables }
}

function assertFileMissing(file: string): void {
  if (!existsSync(file)) return
  throw new ArchiveError(`${file} already exists: restore into an empty DATA_DIR.`)
}

/** Restores into a temporary file, which is renamed once it is complete and flushed to disk. */
async function restoreFile(options: RestoreOptions, archive: VerifiedArchive, file: string): Promise<void> {
  const temporaryFile = `${file}.restoring`
  await removeTemporaryFile(temporaryFile)
  try {
    {
      await using target = await openConnection(toSqliteAddress(temporaryFile), 'write')
      await loadArchive(target, options, archive)
    }
    const handle = await open(temporaryFile, 'r+')
    try {
      await handle.chmod(0o600)
      await handle.sync()
    } finally {
      await handle.close()
    }
    assertFileMissing(file)
    await rename(temporaryFile, file)
    await syncFolder(dirname(file))
  } finally {
    await removeTemporaryFile(temporaryFile)
  }
}

async function removeTemporaryFile(file: string): Promise<void> {
  for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
}

async function loadArchive(
  target: Connection,
  options: RestoreOptions,
  { header, tables }: VerifiedArchive,
): Promise<void> {
  const { file, clock, signal, onProgress } = options
  assertKnownMigrations(target, header.steps, file)
  await runInTransaction(target, async () => {
    await applyMigrations(target, clock, header.steps)
    const shapes = await readShapes(target)
    assertSameShapes(header.tables, shapes)
    await emptyTables(target, shapes)
    const rowCounts = new Map<string, number>()
    for await (const { table, rows } of readArchive(file, signal)) {
      await target.insert(table, rows)
      const total = (rowCounts.get(table.name) ?? 0) + rows.length
      rowCounts.set(table.name, total)
      onProgress('restored', table.name, total)
    }
    await target.checkReferences()
    const restoredDigests = await digestTables(target, header.tables, {
      stoppedAt: null,
      action: 'checked',
      signal,
      onProgress,
    })
    const [differingTable] = findDifferingTables(tables, restoredDigests)
    if (differingTable !== undefined)
      throw new ArchiveError(
        `The table ${differingTable} differs from the archive after the import: nothing was restored.`,
      )
    await applyMigrations(target, clock)
  })
}
