import { dirname } from 'node:path'
import type { Clock } from '@parley/engine/ports'
import { sql } from 'kysely'
import { UNFINISHED_COPY } from '../database/migrator.ts'
import { type DataLock, lockDataDirectory } from '../lock-file.ts'
import { ArchiveError, explainFailure } from './archive-error.ts'
import { type Address, type Connection, runInTransaction } from './connection.ts'
import {
  applyMigrations,
  assertEmpty,
  assertKeyDecryptsSecrets,
  assertKnownMigrations,
  digestTables,
  emptyTables,
  getRowKey,
  openConnection,
  type ProgressOptions,
  readAppliedMigrations,
  readRows,
  readShapes,
  readSourceMigrations,
} from './installation.ts'
import { findDifferingTables, type TableDigest } from './table-digest.ts'
import { assertSameShapes, type Cell, type TableShape } from './table-shape.ts'

/** A node with a more recent heartbeat counts as running. */
const NODE_ALIVE_MS = 60_000

export interface CopyOptions extends ProgressOptions {
  readonly from: Address
  readonly to: Address
  readonly secretKey: string
  /** Whether to discard the data of an interrupted copy in the target. */
  readonly restart: boolean
  readonly clock: Clock
}

export interface CopyResult {
  readonly source: ReadonlyMap<string, TableDigest>
  readonly target: ReadonlyMap<string, TableDigest>
  /** Tables that differ. If any table differs, the target remains marked as unfinished. */
  readonly mismatchedTables: readonly string[]
  /** Rows written by this run, without the rows of an interrupted run. */
  readonly copiedRows: number
}

/** Copies a stopped installation into an empty database, or resumes an interrupted copy. */
export async function copyInstallation(options: CopyOptions): Promise<CopyResult> {
  const { from, to, clock } = options
  if (from.location === to.location) throw new ArchiveError('Source and target are the same database.')
  const locks: DataLock[] = []
  try {
    await using source = await openConnection(from, 'read')
    // Locked only after the source was found, because a lock would leave a file in a folder without an installation.
    for (const address of [from, to]) {
      if (address.kind === 'sqlite') locks.push(lockFolder(address.file, clock))
    }
    if (from.kind === 'postgres') await assertStopped(source, clock.now())
    await using target = await openConnection(to, 'write')
    return await copyBetween(source, target, options)
  } finally {
    for (const lock of locks) lock.release()
  }
}

/** Locks the folder of a database file. Throws if a server uses the folder. */
export function lockFolder(file: string, clock: Clock): DataLock {
  try {
    return lockDataDirectory(dirname(file), clock)
  } catch (error) {
    const folder = dirname(file)
    throw new ArchiveError(explainFailure(error, folder) ?? (error instanceof Error ? error.message : String(error)))
  }
}

/** Throws if a server is running, because its later writes would be lost. */
async function assertStopped(source: Connection, now: number): Promise<void> {
  const tables = await source.describeTables()
  let isInUse = (await source.countServerConnections()) > 0
  if (tables.some(({ name }) => name === 'nodes')) {
    const { rows } = await sql<{ nodes: number }>`
      select count(*) as nodes from nodes where seen_at > ${now - NODE_ALIVE_MS}
    `.execute(source.kysely)
    isInUse ||= Number(rows[0]?.nodes) > 0
  }
  if (isInUse)
    throw new ArchiveError(
      `A server is using ${source.location} or used it in the last minute: stop all nodes, then copy.`,
    )
}

async function copyBetween(source: Connection, target: Connection, options: CopyOptions): Promise<CopyResult> {
  const { clock, signal, onProgress, secretKey } = options
  const migrationNames = await readSourceMigrations(source)
  assertKnownMigrations(target, migrationNames, source.location)
  await assertKeyDecryptsSecrets(source, secretKey)
  const shapes = await readShapes(source)
  let previousProgress = await readProgress(target)
  if (previousProgress === null) await assertEmpty(target)
  else if (options.restart) {
    await discardCopiedRows(target)
    previousProgress = null
  }
  const stoppedAt = previousProgress?.stoppedAt ?? clock.now()
  const digests = await digestTables(source, shapes, { stoppedAt, action: 'read', signal, onProgress })
  if (previousProgress === null) await startCopy(target, { migrationNames, shapes, stoppedAt, digests, clock })
  else assertSameSource(previousProgress, digests)
  let copiedRows = 0
  for (const shape of shapes) {
    copiedRows += await copyTable(source, target, {
      shape,
      stoppedAt,
      previousProgress,
      signal,
      onProgress,
    })
  }
  await target.checkReferences()
  const checkOptions = { stoppedAt: null, action: 'checked', signal, onProgress }
  const targetDigests = await runInTransaction(target, () => digestTables(target, shapes, checkOptions))
  const mismatchedTables = findDifferingTables(digests, targetDigests)
  if (mismatchedTables.length === 0) {
    await runInTransaction(target, async () => {
      await removeCopyProgress(target)
      await applyMigrations(target, clock)
    })
    await target.analyze()
  }
  return { source: digests, target: targetDigests, mismatchedTables, copiedRows }
}

interface CopyStart {
  readonly migrationNames: readonly string[]
  readonly shapes: readonly TableShape[]
  readonly stoppedAt: number
  readonly digests: ReadonlyMap<string, TableDigest>
  readonly clock: Clock
}

/** Creates the schema of the source. Newer migrations run after all rows have been copied. */
async function startCopy(
  target: Connection,
  { migrationNames, shapes, stoppedAt, digests, clock }: CopyStart,
): Promise<void> {
  const unknownMigration = (await readAppliedMigrations(target)).find((step) => !migrationNames.includes(step))
  if (unknownMigration !== undefined) {
    throw new ArchiveError(
      `${target.location} has a newer schema than the source (migration ${unknownMigration}): use a database without tables.`,
    )
  }
  await runInTransaction(target, async () => {
    await applyMigrations(target, clock, migrationNames)
    const targetShapes = await readShapes(target)
    assertSameShapes(shapes, targetShapes)
    await emptyTables(target, targetShapes)
    await recordCopyStart(target, stoppedAt, digests)
  })
}

/** Deletes the rows of an interrupted copy. */
async function discardCopiedRows(target: Connection): Promise<void> {
  const shapes = await readShapes(target)
  await runInTransaction(target, async () => {
    await emptyTables(target, shapes)
    await removeCopyProgress(target)
  })
}

function assertSameSource({ tables }: CopyProgress, digests: ReadonlyMap<string, TableDigest>): void {
  const previousDigests = new Map([...tables].map(([name, { source }]) => [name, source]))
  const [changedTable] = findDifferingTables(previousDigests, digests)
  if (changedTable === undefined) return
  throw new ArchiveError(
    `The target contains part of an earlier copy, and the source has changed since (table ${changedTable}): ` +
      'start over with --restart.',
  )
}

interface CopyTableOptions extends ProgressOptions {
  readonly shape: TableShape
  readonly stoppedAt: number
  readonly previousProgress: CopyProgress | null
}

/** Copies a table and returns the number of rows copied now. Each batch is recorded in the transaction that writes it. */
async function copyTable(
  source: Connection,
  target: Connection,
  { shape, stoppedAt, previousProgress, signal, onProgress }: CopyTableOptions,
): Promise<number> {
  const tableProgress = previousProgress?.tables.get(shape.name)
  const previouslyCopiedRows = tableProgress?.copiedRows ?? 0
  let copiedRows = previouslyCopiedRows
  const resumeKey = tableProgress?.lastKey ?? undefined
  for await (const { rows } of readRows(source, shape, { stoppedAt, after: resumeKey, signal })) {
    const lastRow = rows.at(-1)
    if (lastRow === undefined) continue
    const lastKey = getRowKey(shape, lastRow)
    copiedRows += rows.length
    await runInTransaction(target, async () => {
      await target.insert(shape, rows)
      await recordBatch(target, shape.name, { copiedRows, lastKey })
    })
    onProgress('copied', shape.name, copiedRows)
  }
  return copiedRows - previouslyCopiedRows
}

/** Progress of a table, recorded in the target with each batch. */
interface TableProgress {
  /** Digest of the source when the copy started. */
  readonly source: TableDigest
  readonly copiedRows: number
  /** Key of the last copied row, or null before the first row. */
  readonly lastKey: readonly Cell[] | null
}

/** Progress of an unfinished copy. */
interface CopyProgress {
  /** Time at which the source installation counts as stopped. */
  readonly stoppedAt: number
  readonly tables: ReadonlyMap<string, TableProgress>
}

interface ProgressRow {
  readonly table_name: string
  readonly settled_at: number
  readonly source_rows: number
  readonly source_sha256: string
  readonly copied_rows: number
  readonly last_key: string | null
}

/** Reads the progress of an interrupted copy, or returns null if there is none. */
async function readProgress(target: Connection): Promise<CopyProgress | null> {
  const tables = await target.describeTables()
  if (!tables.some(({ name }) => name === 'copy_progress')) return null
  const { rows } = await sql<ProgressRow>`select * from copy_progress`.execute(target.kysely)
  const progress = rows.map(
    ({ table_name, source_rows, source_sha256, copied_rows, last_key }): [string, TableProgress] => [
      table_name,
      {
        source: { rows: Number(source_rows), sha256: source_sha256 },
        copiedRows: Number(copied_rows),
        lastKey: last_key === null ? null : (JSON.parse(last_key) as Cell[]),
      },
    ],
  )
  return { stoppedAt: Number(rows[0]?.settled_at ?? 0), tables: new Map(progress) }
}

/** Records the start of a copy, so that servers do not start on incomplete data. */
async function recordCopyStart(
  target: Connection,
  stoppedAt: number,
  source: ReadonlyMap<string, TableDigest>,
): Promise<void> {
  const { kysely } = target
  await kysely.schema
    .createTable('copy_progress')
    .addColumn('table_name', 'text', (column) => column.notNull().primaryKey())
    .addColumn('settled_at', 'bigint', (column) => column.notNull())
    .addColumn('source_rows', 'bigint', (column) => column.notNull())
    .addColumn('source_sha256', 'text', (column) => column.notNull())
    .addColumn('copied_rows', 'bigint', (column) => column.notNull())
    .addColumn('last_key', 'text')
    .execute()
  for (const [name, { rows, sha256 }] of source) {
    await sql`
      insert into copy_progress (table_name, settled_at, source_rows, source_sha256, copied_rows)
      values (${name}, ${stoppedAt}, ${rows}, ${sha256}, 0)
    `.execute(kysely)
  }
  await sql`insert into migrations (name, applied_at) values (${UNFINISHED_COPY}, ${stoppedAt})`.execute(kysely)
}

/** Records a batch in the transaction that writes it. */
async function recordBatch(
  { kysely }: Connection,
  table: string,
  { copiedRows, lastKey }: { readonly copiedRows: number; readonly lastKey: readonly Cell[] },
): Promise<void> {
  await sql`
    update copy_progress set copied_rows = ${copiedRows}, last_key = ${JSON.stringify(lastKey)}
    where table_name = ${table}
  `.execute(kysely)
}

/** Removes the progress records. Servers can start afterwards. */
async function removeCopyProgress({ kysely }: Connection): Promise<void> {
  await sql`delete from migrations where name = ${UNFINISHED_COPY}`.execute(kysely)
  await kysely.schema.dropTable('copy_progress').execute()
}
