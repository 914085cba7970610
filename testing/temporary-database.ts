import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@parley/engine/ports'
import { openDatabase, type SqliteDatabase } from '../packages/server/src/platform/database/sqlite-database.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'

export interface TemporaryDatabase extends SqliteDatabase, AsyncDisposable {
  /** Its file: open it again after `close` or `crash` to see what survived. */
  readonly file: string
}

export interface TemporaryDatabaseOptions {
  readonly clock?: Clock
  readonly transactionTimeoutMs?: number
}

/** An empty, migrated database in a folder of its own, removed at the end of the block: `await using database = …`. */
export async function temporaryDatabase(options: TemporaryDatabaseOptions = {}): Promise<TemporaryDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-database-'))
  const file = join(folder, 'parley.db')
  const database = await openDatabase({ clock: systemClock, ...options, file })
  return Object.assign(database, {
    file,
    async [Symbol.asyncDispose]() {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  })
}
