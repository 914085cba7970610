import type { Capabilities } from '../../kernel/storage/database.ts'
import { hasTrigrams } from './migrations/0007-calls-postgres.ts'
import type { PostgresConnections } from './postgres-connections.ts'

/** SQLite has one writer, so there are no locked rows to skip. Its trigram tokenizer supports substring search. */
export const SQLITE_CAPABILITIES: Capabilities = {
  skipLocked: false,
  rowLocks: false,
  trigramIndex: true,
  trigramOperators: false,
  hasCountDeltas: false,
  // A lock file excludes other processes.
  seesAllWrites: true,
}

/** Returns PostgreSQL's capabilities. Nodes write concurrently, and substring indexes depend on installed extensions. */
export async function detectPostgresCapabilities(connections: PostgresConnections): Promise<Capabilities> {
  return {
    skipLocked: true,
    rowLocks: true,
    trigramIndex: false,
    trigramOperators: await hasTrigrams(connections),
    hasCountDeltas: true,
    seesAllWrites: false,
  }
}
