import { dirname } from 'node:path'
import type { Clock } from '@parley/engine/ports'
import { sql } from 'kysely'
import { type DataLock, lockDataDirectory } from '../lock-file.ts'
import { ArchiveError, explainFailure } from './archive-error.ts'
import { type Connection, inTransaction } from './connection.ts'
import { type CopyProgress, endProgress, readProgress, recordBatch, startProgress } from './copy-progress.ts'
import {
  applyMigrations,
  assertEmpty,
  assertKnownMigrations,
  digestTables,
  emptyTables,
  keyOf,
  type ProgressOptions,
  readAppliedMigrations,
  readRows,
  readShapes,
  readSourceMigrations,
} from './installation.ts'
import type { Address } from './installation-address.ts'
import { assertKeyOpensSecrets } from './installation-key.ts'
import { openConnection } from './open-connection.ts'
import { differingTables, type TableDigest } from './table-digest.ts'
import { assertSameShapes, type TableShape } from './table-shape.ts'

/** A node that gave a sign of life within this time is taken to run. */
const NODE_ALIVE_MS = 60_000

export interface CopyOptions extends ProgressOptions {
  readonly from: Address
  readonly to: Address
  readonly secretKey: string
  /** Throws away what an interrupted copy has left in the target. */
  readonly restart: boolean
  readonly clock: Clock
}

export interface CopyResult {
  readonly source: ReadonlyMap<string, TableDigest>
  readonly target: ReadonlyMap<string, TableDigest>
  /** Tables that are not the same; the target stays unfinished then. */
  readonly mismatchedTables: readonly string[]
  /** Rows that this run has written; those of an interrupted one were there. */
  readonly copiedRows: number
}

/** Copies a stopped installation into an empty database, or goes on with a copy that was interrupted. */
export async function copyInstallation(options: CopyOptions): Promise<CopyResult> {
  const { from, to, clock } = options
  if (from.place === to.place) throw new ArchiveError('Source and target are the same database.')
  const locks: DataLock[] = []
  try {
    await using source = await openConnection(from, 'read')
    // After the source was found: a lock would leave a file in a folder that holds no installation.
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

/** Refuses a folder that a server uses. */
export function lockFolder(file: string, clock: Clock): DataLock {
  try {
    return lockDataDirectory(dirname(file), clock)
  } catch (error) {
    const folder = dirname(file)
    throw new ArchiveError(explainFailure(error, folder) ?? (error instanceof Error ? error.message : String(error)))
  }
}

/** What is written after the copy has begun would be lost. */
async function assertStopped(source: Connection, now: number): Promise<void> {
  const tables = await source.describeTables()
  let inUse = (await source.countServerConnections()) > 0
  if (tables.some(({ name }) => name === 'nodes')) {
    const { rows } = await sql<{ nodes: number }>`
      select count(*) as nodes from nodes where seen_at > ${now - NODE_ALIVE_MS}
    `.execute(source.kysely)
    inUse ||= Number(rows[0]?.nodes) > 0
  }
  if (inUse) throw new ArchiveError(`A server uses ${source.place}, or did a minute ago: stop all nodes, then copy.`)
}

async function copyBetween(source: Connection, target: Connection, options: CopyOptions): Promise<CopyResult> {
  const { clock, signal, onProgress, secretKey } = options
  const steps = await readSourceMigrations(source)
  assertKnownMigrations(target, steps, source.place)
  await assertKeyOpensSecrets(source, secretKey)
  const shapes = await readShapes(source)
  let earlier = await readProgress(target)
  if (earlier === null) await assertEmpty(target)
  else if (options.restart) {
    await discard(target)
    earlier = null
  }
  const settledAt = earlier?.settledAt ?? clock.now()
  const digests = await digestTables(source, shapes, { settledAt, work: 'read', signal, onProgress })
  if (earlier === null) await begin(target, { steps, shapes, settledAt, digests, clock })
  else assertSameSource(earlier, digests)
  let copiedRows = 0
  for (const shape of shapes) {
    copiedRows += await copyTable(source, target, { shape, settledAt, earlier, signal, onProgress })
  }
  await target.checkReferences()
  const check = { settledAt: null, work: 'checked', signal, onProgress }
  const copied = await inTransaction(target, () => digestTables(target, shapes, check))
  const mismatchedTables = differingTables(digests, copied)
  if (mismatchedTables.length === 0) {
    await inTransaction(target, async () => {
      await endProgress(target)
      await applyMigrations(target, clock)
    })
    await target.analyze()
  }
  return { source: digests, target: copied, mismatchedTables, copiedRows }
}

interface Beginning {
  readonly steps: readonly string[]
  readonly shapes: readonly TableShape[]
  readonly settledAt: number
  readonly digests: ReadonlyMap<string, TableDigest>
  readonly clock: Clock
}

/** The schema of the source, so that its rows fit; newer steps follow when all rows are there. */
async function begin(target: Connection, { steps, shapes, settledAt, digests, clock }: Beginning): Promise<void> {
  const beyond = (await readAppliedMigrations(target)).find((step) => !steps.includes(step))
  if (beyond !== undefined) {
    throw new ArchiveError(
      `${target.place} has a newer schema than the source (step ${beyond}): name a database without tables.`,
    )
  }
  await inTransaction(target, async () => {
    await applyMigrations(target, clock, steps)
    const targetShapes = await readShapes(target)
    assertSameShapes(shapes, targetShapes)
    await emptyTables(target, targetShapes)
    await startProgress(target, settledAt, digests)
  })
}

/** Empties what an interrupted copy has written. */
async function discard(target: Connection): Promise<void> {
  const shapes = await readShapes(target)
  await inTransaction(target, async () => {
    await emptyTables(target, shapes)
    await endProgress(target)
  })
}

function assertSameSource({ tables }: CopyProgress, digests: ReadonlyMap<string, TableDigest>): void {
  const before = new Map([...tables].map(([name, { source }]) => [name, source]))
  const [changed] = differingTables(before, digests)
  if (changed === undefined) return
  throw new ArchiveError(
    `The target holds a part of an earlier copy, and the source has changed since (table ${changed}): ` +
      'begin again with --restart.',
  )
}

interface CopyTableOptions extends ProgressOptions {
  readonly shape: TableShape
  readonly settledAt: number
  readonly earlier: CopyProgress | null
}

/** Returns how many rows were copied now. Each portion is on record in the transaction that writes it. */
async function copyTable(
  source: Connection,
  target: Connection,
  { shape, settledAt, earlier, signal, onProgress }: CopyTableOptions,
): Promise<number> {
  const progress = earlier?.tables.get(shape.name)
  const before = progress?.copiedRows ?? 0
  let copiedRows = before
  const after = progress?.lastKey ?? undefined
  for await (const { rows } of readRows(source, shape, { settledAt, after, signal })) {
    const last = rows.at(-1)
    if (last === undefined) continue
    const lastKey = keyOf(shape, last)
    copiedRows += rows.length
    await inTransaction(target, async () => {
      await target.insert(shape, rows)
      await recordBatch(target, shape.name, { copiedRows, lastKey })
    })
    onProgress('copied', shape.name, copiedRows)
  }
  return copiedRows - before
}
