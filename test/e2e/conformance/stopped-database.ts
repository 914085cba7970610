import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from '../../../packages/server/src/kernel/database.ts'
import { openDatabase } from '../../../packages/server/src/platform/database/sqlite-database.ts'
import { systemClock } from '../../../packages/server/src/platform/system.ts'
import type { RunningServer } from '../../../testing/running-server.ts'

/** Only one process may have the file: the server is stopped meanwhile and started again. */
export async function whileStopped(server: RunningServer, work: (file: string) => void | Promise<void>): Promise<void> {
  await server.stop()
  await work(join(server.dataDirectory, 'parley.db'))
  await server.start()
}

/** Writes through the database port. */
export async function seedFile(file: string, seed: (database: Database) => Promise<void>): Promise<void> {
  const database = await openDatabase({ file, clock: systemClock })
  try {
    await seed(database)
  } finally {
    await database.close()
  }
}

/** Writes rows as they are, in one commit. */
export function writeRows(file: string, write: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('begin')
    write(database)
    database.exec('commit')
  } finally {
    database.close()
  }
}
