import { manualClock } from '@parley/engine/testing/manual-clock'
import { type SeededCall, seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { openRoutes } from '../route-test-kit.ts'
import { registerCallRoutes } from './call-routes.ts'
import { createCallService } from './call-service.ts'

export const callIdOf = (index: number): string => `call_${index.toString(16).padStart(26, '0')}`

/** For tests: the routes of calls over a database with the workspaces 1 to 3, the first two of which the caller reaches. */
export async function openCalls(seeded: readonly SeededCall[] = []) {
  const database = await temporaryDatabase()
  const { clock } = manualClock()
  await seedWorkspaces(database, [1, 2, 3])
  await seedCalls(database, seeded)
  const calls = createCallService({ database, clock })
  const makeId = (prefix: string) => `${prefix}_x`
  const routes = openRoutes({ database, clock, makeId }, (api) => registerCallRoutes(api, calls))
  return {
    ...routes,
    database,
    clock,
    /** Ids and pagination of a list. */
    list: async (path: string) => {
      const { status, body } = await routes.send(`GET ${path}`)
      if (status !== 200) throw new Error(`${path} answered ${status}: ${body.error}`)
      return { ids: body.calls.map((call: { callId: string }) => call.callId), ...body.pagination }
    },
    async [Symbol.asyncDispose]() {
      await routes[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
