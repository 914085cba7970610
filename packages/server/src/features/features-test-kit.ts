import { CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import type { VersionSelector } from '@parley/contract/fields'
import { CreateLlmBody, UpdateLlmBody } from '@parley/contract/llm'
import type { MakeId } from '@parley/engine/ports'
import { type ManualClock, manualClock } from '@parley/engine/testing/manual-clock'
import { type TemporaryDatabase, temporaryDatabase } from '../../../../testing/temporary-database.ts'
import type { AgentPin } from '../kernel/pinned-agent.ts'
import { createInProcessBus } from '../platform/bus/in-process-bus.ts'
import { createAgentFollowers } from './agents/agent-followers.ts'
import { createAgentService } from './agents/agent-service.ts'
import { createAgentUse } from './agents/agent-use.ts'
import { createLlmService } from './llms/llm-service.ts'
import { createLlmSource } from './llms/llm-source.ts'
import { createSigningSecretService } from './signing-secrets/signing-secret-service.ts'
import { createVoiceService } from './voices/voice-service.ts'
import { createWorkspaceService } from './workspaces/workspace-service.ts'

/** For tests: the features on an empty database with two workspaces, 1 and 2. `fake/…` and `offline` are the models that exist. */
export async function wireFeatures() {
  const database = await temporaryDatabase()
  const time = manualClock()
  const { clock } = time
  const makeId = countedIds()
  const endedAgents: string[] = []
  const models = {
    resolve: (name: string) => (name === 'offline' || name.startsWith('fake/') ? name : null),
    configured: () => ['offline', 'fake/*'],
    defaultModel: 'offline',
  }
  const signingSecrets = createSigningSecretService({
    bus: createInProcessBus(() => {}),
    database,
    clock,
    makeId,
    secrets: reversibleSecrets,
    randomBytes: countedBytes(),
  })
  const workspaces = createWorkspaceService({
    database,
    clock,
    makeUuid: () => '00000000-0000-4000-8000-000000000001',
    signingSecrets,
  })
  const llmSource = createLlmSource()
  const agentsOnEngines = createAgentFollowers()
  const agents = createAgentService({
    database,
    clock,
    makeId,
    models,
    llms: llmSource,
    voices: createVoiceService(),
    conversations: { endChatsOf: async (_transaction, agentId) => void endedAgents.push(agentId) },
  })
  const llms = createLlmService({ database, clock, makeId, models, followers: agentsOnEngines, users: agentsOnEngines })
  const agentUse = createAgentUse({ database, llms: llmSource })
  await database.transaction(async (transaction) => {
    await workspaces.createWorkspace(transaction, 'First')
    await workspaces.createWorkspace(transaction, 'Second')
  })
  const features = { database, time, makeId, llms, agents, agentUse, workspaces, signingSecrets, endedAgents }
  return { ...features, ...createShortcuts(features), [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

interface Wired {
  readonly database: TemporaryDatabase
  readonly time: ManualClock
  readonly llms: ReturnType<typeof createLlmService>
  readonly agents: ReturnType<typeof createAgentService>
  readonly agentUse: ReturnType<typeof createAgentUse>
}

/** The same requests in few words, parsed like those of a client, all in workspace 1. */
function createShortcuts({ database, time, llms, agents, agentUse }: Wired) {
  const llmTarget = (llmId: string, ifMatch: number | null = null) => ({ workspaceId: 1, llmId, ifMatch })
  const agentTarget = (agentId: string, ifMatch: number | null = null) => ({ workspaceId: 1, agentId, ifMatch })
  return {
    llmTarget,
    agentTarget,
    addLlm: async (body: object = {}) => (await llms.create(1, CreateLlmBody.parse(body))).answer.llm_id,
    patchLlm: (llmId: string, body: object, version?: number) =>
      llms.update({ ...llmTarget(llmId), version }, UpdateLlmBody.parse(body)),
    addAgent: async (llmId: string, body: object = {}) => {
      const engine = { response_engine: { type: 'llm', llm_id: llmId }, voice_id: 'voice_builtin_slt' }
      return (await agents.create(1, CreateAgentBody.parse({ ...engine, ...body }))).answer.agent_id
    },
    patchAgent: (agentId: string, body: object, version?: number) =>
      agents.update({ ...agentTarget(agentId), version }, UpdateAgentBody.parse(body)),
    /** What the first conversation with a version does. */
    pin: (agentId: string, version: VersionSelector = 'active'): Promise<AgentPin> =>
      database.transaction((transaction) =>
        agentUse.pin(transaction, { workspaceId: 1, agentId, version, now: time.clock.now() }),
      ),
  }
}

function countedIds(): MakeId {
  let count = 0
  return (prefix) => {
    count += 1
    return `${prefix}_${count.toString(16).padStart(26, '0')}`
  }
}

function countedBytes(): (size: number) => Uint8Array {
  let count = 0
  return (size) => {
    count += 1
    return new Uint8Array(size).fill(count)
  }
}

/** Enough to see that what is stored was sealed for its purpose. */
export const reversibleSecrets = {
  seal: (plaintext: string, purpose: string) => `${purpose}:${Buffer.from(plaintext).toString('base64')}`,
  open: (sealed: string, purpose: string) => {
    if (!sealed.startsWith(`${purpose}:`)) throw new Error('sealed for another purpose')
    return Buffer.from(sealed.slice(purpose.length + 1), 'base64').toString()
  },
}
