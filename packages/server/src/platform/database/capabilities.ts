import type { Capabilities } from '../../kernel/storage/database.ts'
import { hasTrigrams } from './migrations/0007-calls-postgres.ts'
import type { PostgresConnections } from './postgres-connections.ts'

/** SQLite has one writer, so there are no locked rows to skip; its trigram tokenizer serves substring search. */
export const SQLITE_CAPABILITIES: Capabilities = {
  skipLocked: false,
  rowLocks: false,
  trigramIndex: true,
  trigramOperators: false,
  spreadCounts: false,
  // A lock file excludes other processes.
  seesAllWrites: true,
}

/** In PostgreSQL, nodes write concurrently. Substring indexes depend on installed extensions. */
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
