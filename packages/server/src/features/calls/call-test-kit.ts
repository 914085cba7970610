import { createManualClock } from '@parley/engine/testing/manual-clock'
import { type SeededCall, seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { NO_CALL_EVENTS } from './call-events.ts'
import { registerCallRoutes } from './call-routes.ts'
import { createCallService } from './call-service.ts'
import { type CallJoinLinks, NO_JOIN_LINK } from './creating/call-tokens.ts'

export const NO_JOIN_LINKS: CallJoinLinks = {
  createActorLinks: async () => ({
    getJoinLink: () => NO_JOIN_LINK,
    getRecordingUrl: ({ recording_url }) => recording_url,
  }),
  getRecordingUrlBuilder:
    async () =>
    ({ recording_url }) =>
      recording_url,
}

/** Call dependencies for tests without live calls. */
export const RECORDS_ONLY = {
  joinLinks: NO_JOIN_LINKS,
  events: NO_CALL_EVENTS,
  callEnder: { end: async () => false },
}

export const buildCallId = (index: number): string => `call_${index.toString(16).padStart(26, '0')}`

/** Serves the call routes on a database with workspaces 1 to 3. The caller has access to the first two. */
export async function openCalls(seeded: readonly SeededCall[] = []) {
  const database = await temporaryDatabase()
  const { clock } = createManualClock()
  await seedWorkspaces(database, [1, 2, 3])
  await seedCalls(database, seeded)
  const calls = createCallService({ database, clock: createSharedClock(clock), ...RECORDS_ONLY })
  const makeId = (prefix: string) => `${prefix}_x`
  const routes = openRoutes({ database, clock, makeId }, (api) => registerCallRoutes(api, calls))
  return {
    ...routes,
    database,
    clock,
    /** Returns the ids and pagination of a list. */
    list: async (path: string) => {
      const { status, body } = await routes.send(`GET ${path}`)
      if (status !== 200) throw new Error(`${path} returned ${status}: ${body.error}`)
      return { ids: body.calls.map((call: { callId: string }) => call.callId), ...body.pagination }
    },
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}
