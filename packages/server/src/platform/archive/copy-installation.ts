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
  assertKeyOpensSecrets,
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
  /** Tables that differ. If there are any, the target stays unfinished. */
  readonly mismatchedTables: readonly string[]
  /** Rows written by this run, without the rows of an interrupted run. */
  readonly copiedRows: number
}

/** Copies a stopped installation into an empty database, or resumes an interrupted copy. */
export async function copyInstallation(options: CopyOptions): Promise<CopyResult> {
  const { from, to, clock } = options
  if (from.place === to.place) throw new ArchiveError('Source and target are the same database.')
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
  let inUse = (await source.countServerConnections()) > 0
  if (tables.some(({ name }) => name === 'nodes')) {
    const { rows } = await sql<{ nodes: number }>`
      select count(*) as nodes from nodes where seen_at > ${now - NODE_ALIVE_MS}
    `.execute(source.kysely)
    inUse ||= Number(rows[0]?.nodes) > 0
  }
  if (inUse)
    throw new ArchiveError(`A server is using ${source.place}, or was a minute ago: stop all nodes, then copy.`)
}

async function copyBetween(source: Connection, target: Connection, options: CopyOptions): Promise<CopyResult> {
  const { clock, signal, onProgress, secretKey } = options
  const steps = await readSourceMigrations(source)
  assertKnownMigrations(target, steps, source.place)
  await assertKeyOpensSecrets(source, secretKey)
  const shapes = await readShapes(source)
  let previousProgress = await readProgress(target)
  if (previousProgress === null) await assertEmpty(target)
  else if (options.restart) {
    await discardCopiedRows(target)
    previousProgress = null
  }
  const settledAt = previousProgress?.settledAt ?? clock.now()
  const digests = await digestTables(source, shapes, { settledAt, work: 'read', signal, onProgress })
  if (previousProgress === null) await startCopy(target, { steps, shapes, settledAt, digests, clock })
  else assertSameSource(previousProgress, digests)
  let copiedRows = 0
  for (const shape of shapes) {
    copiedRows += await copyTable(source, target, {
      shape,
      settledAt,
      previousProgress: previousProgress,
      signal,
      onProgress,
    })
  }
  await target.checkReferences()
  const checkOptions = { settledAt: null, work: 'checked', signal, onProgress }
  const targetDigests = await runInTransaction(target, () => digestTables(target, shapes, checkOptions))
  const mismatchedTables = findDifferingTables(digests, targetDigests)
  if (mismatchedTables.length === 0) {
    await runInTransaction(target, async () => {
      await endProgress(target)
      await applyMigrations(target, clock)
    })
    await target.analyze()
  }
  return { source: digests, target: targetDigests, mismatchedTables, copiedRows }
}

interface CopyStart {
  readonly steps: readonly string[]
  readonly shapes: readonly TableShape[]
  readonly settledAt: number
  readonly digests: ReadonlyMap<string, TableDigest>
  readonly clock: Clock
}

/** Creates the schema of the source. Newer migrations run after all rows have been copied. */
async function startCopy(target: Connection, { steps, shapes, settledAt, digests, clock }: CopyStart): Promise<void> {
  const unknownStep = (await readAppliedMigrations(target)).find((step) => !steps.includes(step))
  if (unknownStep !== undefined) {
    throw new ArchiveError(
      `${target.place} has a newer schema than the source (migration ${unknownStep}): use a database without tables.`,
    )
  }
  await runInTransaction(target, async () => {
    await applyMigrations(target, clock, steps)
    const targetShapes = await readShapes(target)
    assertSameShapes(shapes, targetShapes)
    await emptyTables(target, targetShapes)
    await startProgress(target, settledAt, digests)
  })
}

/** Deletes the rows of an interrupted copy. */
async function discardCopiedRows(target: Connection): Promise<void> {
  const shapes = await readShapes(target)
  await runInTransaction(target, async () => {
    await emptyTables(target, shapes)
    await endProgress(target)
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
  readonly settledAt: number
  readonly previousProgress: CopyProgress | null
}

/** Copies a table and returns the number of rows copied now. Each batch is recorded in the transaction that writes it. */
async function copyTable(
  source: Connection,
  target: Connection,
  { shape, settledAt, previousProgress: earlier, signal, onProgress }: CopyTableOptions,
): Promise<number> {
  const tableProgress = earlier?.tables.get(shape.name)
  const previouslyCopiedRows = tableProgress?.copiedRows ?? 0
  let copiedRows = previouslyCopiedRows
  const resumeKey = tableProgress?.lastKey ?? undefined
  for await (const { rows } of readRows(source, shape, { settledAt, after: resumeKey, signal })) {
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
  readonly settledAt: number
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
  return { settledAt: Number(rows[0]?.settled_at ?? 0), tables: new Map(progress) }
}

/** Records that a copy started, which keeps servers from starting on incomplete data. */
async function startProgress(
  target: Connection,
  settledAt: number,
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
      values (${name}, ${settledAt}, ${rows}, ${sha256}, 0)
    `.execute(kysely)
  }
  await sql`insert into migrations (name, applied_at) values (${UNFINISHED_COPY}, ${settledAt})`.execute(kysely)
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
async function endProgress({ kysely }: Connection): Promise<void> {
  await sql`delete from migrations where name = ${UNFINISHED_COPY}`.execute(kysely)
  await kysely.schema.dropTable('copy_progress').execute()
}
