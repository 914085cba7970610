import { existsSync } from 'node:fs'
import type { Clock } from '@parley/engine/ports'
import { computeFingerprint } from '../secrets/installation.ts'
import { ArchiveError } from './archive-error.ts'
import { ARCHIVE_VERSION, createArchiveWriter } from './archive-writer.ts'
import type { Address } from './connection.ts'
import {
  assertKeyDecryptsSecrets,
  openConnection,
  type ProgressOptions,
  readRows,
  readShapes,
  readSourceMigrations,
} from './installation.ts'
import type { TableDigest } from './table-digest.ts'

export interface BackupOptions extends ProgressOptions {
  readonly from: Address
  /** The file to write, which must not exist. */
  readonly file: string
  readonly secretKey: string
  readonly clock: Omit<Clock, 'after'>
}

export interface BackupResult {
  readonly tables: ReadonlyMap<string, TableDigest>
  readonly sizeBytes: number
}

/** Writes a snapshot of an installation's data into one file. Servers can keep using the database. */
export async function createBackup({
  from,
  file,
  secretKey,
  clock,
  signal,
  onProgress,
}: BackupOptions): Promise<BackupResult> {
  if (existsSync(file)) throw new ArchiveError(`${file} already exists: choose another file.`)
  await using source = await openConnection(from, 'read')
  const migrationNames = await readSourceMigrations(source)
  await assertKeyDecryptsSecrets(source, secretKey)
  const shapes = await readShapes(source)
  const stoppedAt = clock.now()
  await using writer = await createArchiveWriter(file, {
    format: 'parley-archive',
    version: ARCHIVE_VERSION,
    createdAt: new Date(stoppedAt).toISOString(),
    steps: migrationNames,
    keyFingerprint: computeFingerprint(secretKey),
    tables: shapes.map(({ name, columns, key }) => ({ name, columns: [...columns], key: [...key] })),
  })
  for (const shape of shapes) {
    await writer.startTable(shape.name)
    let rows = 0
    for await (const { lines } of readRows(source, shape, { stoppedAt, signal })) {
      await writer.writeRows(lines)
      rows += lines.length
      onProgress('saved', shape.name, rows)
    }
  }
  return await writer.finish()
}
