import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '@parley/engine/ports'

const FILE_NAME = 'parley.lock'

/** SQLITE_BUSY: somebody holds the lock. */
const BUSY_CODE = 5

export interface DataLock {
  /** Lets another process have the folder. Further calls do nothing. */
  release(): void
}

/**
 * Takes the data folder for this process, or throws one sentence that names the process which has it.
 *
 * The lock is the operating system's, on a SQLite file that holds pid and start time of its owner. So it ends with its process,
 * however that dies; there are no stale locks to judge, and it also works between containers, where pids mean nothing.
 */
export function lockDataDirectory(dataDirectory: string, clock: Omit<Clock, 'after'>): DataLock {
  const file = join(dataDirectory, FILE_NAME)
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    // What it says needs no durability: it is rewritten at each start.
    database.exec('pragma synchronous = off; begin immediate')
    database.exec(
      'create table if not exists owner (pid integer not null, started_at integer not null); delete from owner',
    )
    database.prepare('insert into owner values (?, ?)').run(process.pid, clock.now())
    database.exec('commit')
    // Held until the release. Reading stays possible, so that a second process can say who has it.
    database.exec('begin immediate')
  } catch (error) {
    const busy = isBusy(error)
    const owner = busy ? readOwner(database) : ''
    database.close()
    if (!busy) throw new Error(`The folder ${dataDirectory} cannot be locked.`, { cause: error })
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
    // Being written at this moment: the sentence is clear without it.
    return ''
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY_CODE
}
