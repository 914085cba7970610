import { createManualClock } from '@parley/engine/testing/manual-clock'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { AgentBinding } from '../agents/agent-binding.ts'
import { reversibleSecrets } from '../features-test-kit.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { type CarrierImporter, createCarrierImporter } from './carrier-import.ts'
import { registerNumberRoutes } from './number-routes.ts'
import { createNumberService } from './number-service.ts'

/** The second account, which owns workspace 3. */
export const OTHER_TENANT_SID = '00000000-0000-4000-8000-00000000000b'

/** Existing agents with their versions: `a`, `b` and `c` in workspace 1, `d` in 2, `e` in 3. */
const AGENTS: Readonly<Record<number, readonly string[]>> = {
  1: ['agent_a', 'agent_b', 'agent_c'],
  2: ['agent_d'],
  3: ['agent_e'],
}
const VERSIONS = [1, 2, 3]

/** Serves the phone number routes on a database with workspaces 1 and 2 of one account and 3 of another. */
export async function openNumbers({ carriers = createCarrierImporter() }: { carriers?: CarrierImporter } = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  await seedOtherTenant(database)
  const { clock, advance } = createManualClock()
  const frozen: string[] = []
  let uuids = 0
  const service = createNumberService({
    database,
    clock,
    makeUuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    secrets: reversibleSecrets,
    agents: createAgentDouble(frozen),
    carriers,
  })
  const routes = openRoutes({ database, clock, makeId: (prefix) => `${prefix}_1` }, (api) =>
    registerNumberRoutes(api, service),
  )
  const { send } = routes
  return {
    database,
    clock,
    advance,
    frozen,
    ...routes,
    /** Creates a loopback number, by default in workspace 1. */
    addNumber: async (number: string, body: object = {}) =>
      (await send('POST /api/numbers', { workspaceId: 1, number, ...body })).body,
    assign: (number: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
      send(`PUT /api/numbers/${number}/agent`, { workspaceId: 1, ...body }, headers),
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}

/** An actor that can also access workspace 3. */
export const everywhere = {
  workspaces: new Map([
    [1, { level: 'account' as const, accountSid: SEEDED_TENANT }],
    [2, { level: 'account' as const, accountSid: SEEDED_TENANT }],
    [3, { level: 'account' as const, accountSid: OTHER_TENANT_SID }],
  ]),
}

function createAgentDouble(frozen: string[]): AgentBinding {
  return {
    async findAgents(_reader, workspaceId, references) {
      const existingReferences = references.filter(({ agentId }) => AGENTS[workspaceId]?.includes(agentId))
      const listVersions = (wanted: string) =>
        existingReferences.flatMap(({ agentId, version }) =>
          agentId === wanted && version !== null && VERSIONS.includes(version) ? [version] : [],
        )
      return new Map(
        existingReferences.map(({ agentId }) => [agentId, { name: agentId, versions: new Set(listVersions(agentId)) }]),
      )
    },
    freezeVersion: async (_transaction, { agentId, version }) => void frozen.push(`${agentId}@${version}`),
  }
}

async function seedOtherTenant(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    const { provider_id } = await transaction.selectFrom('providers').select('provider_id').executeTakeFirstOrThrow()
    const names = { account_path: '/default/other', name: 'Other', created_at: 0 }
    await transaction
      .insertInto('tenants')
      .values({ account_sid: OTHER_TENANT_SID, provider_id, ...names })
      .execute()
    const limits = { concurrency_base: 20, concurrency_purchased: 0, concurrency_purchase_limit: 100 }
    await transaction
      .insertInto('workspaces')
      .values({
        workspace_id: 3,
        account_sid: OTHER_TENANT_SID,
        name: 'Workspace 3',
        native_transfer_enabled: 0,
        created_at: 0,
        ...limits,
      })
      .execute()
  })
}
