import type { Capabilities } from '../../kernel/database.ts'

/** SQLite: one writer, so that there is nobody to skip or to notify; substring search by its trigram tokenizer. */
export const SQLITE_CAPABILITIES: Capabilities = {
  skipLocked: false,
  listenNotify: false,
  trigram: true,
  // A lock file keeps other processes away.
  knowsEveryWrite: true,
}
