import { startPrivatePostgres } from './private-postgres.ts'

/**
 * Before the tests of TIER=postgres: starts one server for all of them, unless they are given one. The workers, which start
 * later, find its address in the environment.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL) return undefined
  const postgres = await startPrivatePostgres()
  process.env.TEST_DATABASE_URL = postgres.url
  return async () => await postgres[Symbol.asyncDispose]()
}
