import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@parley/engine/ports'

const FILE_NAME = 'parley.lock'

/** SQLITE_BUSY: another process holds the lock. */
const BUSY_CODE = 5

export interface DataLock {
  /** Unlocks the folder. Can be called repeatedly. */
  release(): void
}

/**
 * Locks the data folder for this process. If another process holds the lock, throws an error that names the process.
 *
 * The lock is an operating system lock on a SQLite file that contains the pid and start time of the owner. The lock ends with
 * its process, so there are no stale locks, and it works between containers.
 */
export function lockDataDirectory(dataDirectory: string, clock: Omit<Clock, 'after'>): DataLock {
  const file = join(dataDirectory, FILE_NAME)
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    // The content does not need to be durable, because each start rewrites it.
    database.exec('pragma synchronous = off; begin immediate')
    database.exec(
      'create table if not exists owner (pid integer not null, started_at integer not null); delete from owner',
    )
    database.prepare('insert into owner values (?, ?)').run(process.pid, clock.now())
    database.exec('commit')
    // Held until the release. Other processes can still read the owner.
    database.exec('begin immediate')
  } catch (error) {
    const isLocked = isBusy(error)
    const owner = isLocked ? readOwner(database) : ''
    database.close()
    if (!isLocked)
      throw new Error(`The folder ${dataDirectory} cannot be locked: check its owner and permissions.`, {
        cause: error,
      })
    throw new Error(
      `Another Parley${owner} is already using ${dataDirectory}: stop it first, or start this one with another DATA_DIR.`,
    )
  }
  return {
    release() {
      if (!database.isOpen) return
      database.exec('delete from owner; commit')
      database.close()
    },
  }
}

function readOwner(database: DatabaseSync): string {
  try {
    const row = database.prepare('select pid, started_at from owner').get()
    if (row === undefined) return ''
    return ` (process ${row.pid}, started ${new Date(Number(row.started_at)).toISOString()})`
  } catch {
    // Another process is writing the row. The message works without it.
    return ''
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY_CODE
}
