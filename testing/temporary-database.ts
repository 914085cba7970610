import { rmSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Clock } from '@parley/engine/ports'
import type { NodeDatabase } from '../packages/server/src/platform/database/node-database.ts'
import { openDatabase, type SqliteDatabase } from '../packages/server/src/platform/database/sqlite-database.ts'
import { startWriterThread, type WriterThreads } from '../packages/server/src/platform/database/writer-client.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'

/** A database that is removed at the end of the block: `await using database = …`. */
export interface TemporaryDatabase extends NodeDatabase, AsyncDisposable {}

export interface TemporarySqliteDatabase extends SqliteDatabase, AsyncDisposable {
  /** Database file. Open the file again after `close` or `crash` to see which data survived. */
  readonly file: string
}

export interface TemporaryDatabaseOptions {
  readonly clock?: Clock
  readonly transactionTimeoutMs?: number
}

/** URL of a PostgreSQL server on which tests can create databases. If it is not set, tests use SQLite. */
const SERVER_URL = process.env.TEST_DATABASE_URL

/** Creates an empty, migrated database of the kind under test. */
export async function temporaryDatabase(options: TemporaryDatabaseOptions = {}): Promise<TemporaryDatabase> {
  if (SERVER_URL === undefined) return await temporarySqliteDatabase(options)
  const { temporaryPostgresDatabase } = await import('./temporary-postgres-database.ts')
  return await temporaryPostgresDatabase(SERVER_URL, options)
}

/** Created once per process, because running all migrations for every test would cost more than most tests. */
let template: Promise<string> | undefined

/** Creates a migrated file to copy. Rows written by migrations are dated 1970, so they are older than any test data. */
async function createTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'parley.db')
  const database = await openDatabase({ clock: { ...systemClock, now: () => 0 }, file })
  await database.close()
  return file
}

/** Writer threads that have closed their file. They do not keep the process alive. */
const idleThreads: Worker[] = []

const reusedThreads: WriterThreads = {
  acquire: () => {
    const worker = idleThreads.pop() ?? startWriterThread()
    worker.ref()
    return worker
  },
  release: async (worker) => {
    worker.unref()
    idleThreads.push(worker)
  },
}

/** Creates an empty, migrated database in a new folder. */
export async function temporarySqliteDatabase(
  options: TemporaryDatabaseOptions = {},
): Promise<TemporarySqliteDatabase> {
  template ??= createTemplate()
  const folder = await mkdtemp(join(tmpdir(), 'parley-database-'))
  const file = join(folder, 'parley.db')
  await copyFile(await template, file)
  const database = await openDatabase({ clock: systemClock, writerThreads: reusedThreads, ...options, file })
  return Object.assign(database, {
    file,
    async [Symbol.asyncDispose]() {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  })
}
