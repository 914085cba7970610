import type { Capabilities } from '../../kernel/storage/database.ts'
import { hasTrigrams } from './migrations/0007-calls-postgres.ts'
import type { PostgresConnections } from './postgres-connections.ts'

/** SQLite: one writer, so that there is nobody to skip; substring search by its trigram tokenizer. */
export const SQLITE_CAPABILITIES: Capabilities = {
  skipLocked: false,
  rowLocks: false,
  trigramIndex: true,
  trigramOperators: false,
  spreadCounts: false,
  // A lock file keeps other processes away.
  seesAllWrites: true,
}

/** PostgreSQL: any number of nodes write at once. Whether it can index substrings depends on what is installed there. */
export async function postgresCapabilities(connections: PostgresConnections): Promise<Capabilities> {
  return {
    skipLocked: true,
    rowLocks: true,
    trigramIndex: false,
    trigramOperators: await hasTrigrams(connections),
    spreadCounts: true,
    seesAllWrites: false,
  }
}
