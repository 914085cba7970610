import { startPrivatePostgres } from './private-postgres.ts'

/**
 * Starts one server for all tests with TIER=postgres, unless the tests have one. The workers, which start later, find its URL
 * in the environment.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL) return undefined
  const postgres = await startPrivatePostgres()
  process.env.TEST_DATABASE_URL = postgres.url
  return async () => await postgres[Symbol.asyncDispose]()
}
