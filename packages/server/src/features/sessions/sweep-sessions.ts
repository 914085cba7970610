import type { Clock } from '@parley/engine/ports'
import type { Database } from '../../kernel/database.ts'

/** Deletes logins and password links that have ended. Doing it twice is harmless. */
export function createSessionSweep(database: Database, clock: Pick<Clock, 'now'>): () => Promise<void> {
  return async () => {
    const now = clock.now()
    await database.batch([
      { query: database.compile.deleteFrom('sessions').where('expires_at', '<=', now).compile() },
      { query: database.compile.deleteFrom('password_links').where('expires_at', '<=', now).compile() },
    ])
  }
}
