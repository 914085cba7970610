import { CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import { CreateLlmBody, type Llm } from '@parley/contract/llm'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { createInterruptedDatabase } from '../../../../../testing/interrupted-database.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import { createEngineSource } from '../engines/stored-engines.ts'
import { createToolVault } from '../engines/tool-vault.ts'
import { reversibleSecrets } from '../features-test-kit.ts'
import { VOICE_AGENT } from './agent-kind.ts'
import type { Engines } from './agent-ports.ts'
import { createAgentResolver } from './agent-resolver.ts'
import { createAgentService } from './agent-service.ts'

const llmStore = new VersionStore<Llm>('llm')

/** These engines are read directly from the store, without their features. */
const engines: Engines = {
  llm: {
    ...createEngineSource<Llm>('llm'),
    findResponsiveness: (reader, workspaceId, references) =>
      Promise.all(
        references.map(async ({ id, version }) => {
          const found = await llmStore.find(reader, workspaceId, id, version ?? 'latest')
          return found?.definition.responsiveness ?? null
        }),
      ),
  },
  'conversation-flow': { ...createEngineSource('conversation-flow'), findComponents: async () => new Map() },
}

/** Adds an LLM to each workspace and a conversation flow to the first workspace. */
async function addEngines(transaction: Transaction): Promise<void> {
  for (const workspaceId of [1, 2]) {
    const definition = CreateLlmBody.parse({ responsiveness: 'balanced' }) as unknown as Llm
    await llmStore.insert(transaction, { id: `llm_${workspaceId}`, workspaceId, now: 0 }, { definition })
  }
  const flows = new VersionStore('conversation-flow')
  await flows.insert(transaction, { id: 'conversation_flow_1', workspaceId: 1, now: 0 }, { definition: {} })
}

/** Opens the voice agent service on a separate database, with a hook before each write. */
export async function openAgents() {
  const database = await temporaryDatabase()
  const interrupted = createInterruptedDatabase(database)
  const time = createManualClock()
  const { clock } = time
  await seedWorkspaces(database)
  await database.transaction(addEngines)
  let ids = 0
  const removedAgents: string[] = []
  const agents = createAgentService(VOICE_AGENT, {
    database: interrupted.database,
    clock,
    makeId: (prefix) => `${prefix}_${++ids}`,
    engines,
    voices: {
      has: async (_workspaceId, voiceId) => voiceId === 'voice_1',
      get: async () => ({ provider: 'builtin' }),
    },
    removals: [
      {
        removeAgentReferences: async (transaction, { agentId }) => {
          // The agent still exists, because references are removed in the same transaction.
          const row = await transaction
            .selectFrom('resources')
            .select('kind')
            .where('resource_id', '=', agentId)
            .execute()
          removedAgents.push(`${agentId}:${row.length}`)
        },
      },
    ],
    models: {
      forWorkspace: async () => ({
        resolve: (name) => (name === 'offline' ? {} : null),
        listConfigured: () => ['offline'],
        defaultModel: 'offline',
      }),
    },
  })
  const agentResolver = createAgentResolver({ database, engines, vault: createToolVault(reversibleSecrets) })
  const minimalBody = { response_engine: { type: 'llm', llm_id: 'llm_1' }, voice_id: 'voice_1' }
  return {
    agents,
    time,
    ended: removedAgents,
    beforeNextWrite: interrupted.beforeNextWrite,
    started: interrupted.started,
    create: (body: object = {}) => agents.create(1, CreateAgentBody.parse({ ...minimalBody, ...body })),
    patch: (agentId: string, body: object, options: { version?: number; ifMatch?: number } = {}) =>
      agents.update(
        { workspaceId: 1, id: agentId, version: options.version, ifMatch: options.ifMatch ?? null },
        UpdateAgentBody.parse(body),
      ),
    use: (agentId: string, version: number | 'active' = 'active') =>
      database.transaction((transaction) =>
        agentResolver.pin(transaction, { workspaceId: 1, agentId, version, now: clock.now() }),
      ),
    /** Activates an agent without the intercepted database. */
    activate: (agentId: string) =>
      database.transaction((transaction) =>
        new VersionStore('agent').activate(transaction, { id: agentId, version: 1, now: clock.now() }),
      ),
    activeVersion: async (agentId: string) => (await agents.get(1, agentId, 'active')).response.version,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

export const target = (agentId: string, ifMatch: number | null = null) => ({ workspaceId: 1, id: agentId, ifMatch })
