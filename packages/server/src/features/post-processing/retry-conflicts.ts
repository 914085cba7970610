import { BatchConflictError } from '../../kernel/storage/database.ts'

/** More often than this nobody writes to a conversation that is over. */
const MAX_ATTEMPTS = 5

/** Does what reads a conversation and writes to it as it was read; once more, from its reading, where somebody wrote meanwhile. */
export async function retryConflicts<Result>(readAndWrite: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await readAndWrite()
    } catch (error) {
      if (!(error instanceof BatchConflictError) || attempt >= MAX_ATTEMPTS) throw error
    }
  }
}
