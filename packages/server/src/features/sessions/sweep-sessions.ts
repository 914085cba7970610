import type { Clock } from '@parley/engine/ports'
import type { Database } from '../../kernel/storage/database.ts'

export interface SessionSweepDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly sessionIdleMs: number
}

/** Deletes logins and password links that have ended. Doing it twice is harmless. */
export function createSessionSweep({ database, clock, sessionIdleMs }: SessionSweepDependencies): () => Promise<void> {
  return async () => {
    const now = clock.now()
    const { compile } = database
    await database.batch([
      { query: compile.deleteFrom('sessions').where('expires_at', '<=', now).compile() },
      {
        query: compile
          .deleteFrom('sessions')
          .where('last_used_at', '<=', now - sessionIdleMs)
          .compile(),
      },
      { query: compile.deleteFrom('password_links').where('expires_at', '<=', now).compile() },
    ])
  }
}
