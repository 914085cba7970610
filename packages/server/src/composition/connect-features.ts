import { CreateChatBody } from '@parley/contract/chat'
import type { Config } from '../config.ts'
import { createCallCountCompaction } from '../features/calls/public.ts'
import type { CompletionDependencies, CompletionService } from '../features/chats/public.ts'
import type { DemoServices } from '../features/demo/public.ts'
import { createRetrieval } from '../features/knowledge/public.ts'
import { createUsageService, registerUsageRoutes } from '../features/usage/public.ts'
import type { Webhooks } from '../features/webhooks/public.ts'
import type { Api, CachedResponse } from '../kernel/api/implement.ts'
import { createReadCache } from '../kernel/storage/read-cache.ts'
import type { JobHandlers, JobSchedule } from '../kernel/work/jobs.ts'
import { type AdministrationFeatures, connectAdministration } from './connect-administration.ts'
import { type Agents, connectAgents, registerPlayground } from './connect-agents.ts'
import { type ConnectedCalls, connectCalls } from './connect-calls.ts'
import { type Chats, connectChats } from './connect-chats.ts'
import { connectDialogue, connectEngines, type Engines } from './connect-engines.ts'
import { connectKnowledge, type Knowledge } from './connect-knowledge.ts'
import { connectVoices } from './connect-voices.ts'
import type { Foundation } from './foundation.ts'

export interface Features extends Pick<AdministrationFeatures, 'createWorkspace' | 'readBrand'> {
  readonly completions: CompletionService
  readonly calls: ConnectedCalls
  readonly demo: DemoServices
  readonly jobs: FeatureJobs
  /** Sends webhooks. */
  readonly webhookDispatcher: Webhooks['dispatcher']
  /** Mounts the operations of all features. */
  register(api: Api): void
  /** Releases the knowledge base indexes. */
  close(): Promise<void>
}

export interface FeatureJobs {
  readonly handlers: JobHandlers
  /** Jobs that wait for external systems. They run separately, so that they do not block other jobs. */
  readonly slowHandlers: JobHandlers
  readonly schedules: readonly JobSchedule[]
}

/** Cache size for reads of versioned resources: at most 32 MB, or half of that for plain ASCII. */
const MAX_CACHED_CHARACTERS = 16_000_000

/** Creates and connects the services. Callbacks can refer to services that are created later. */
export function connectFeatures(
  config: Config,
  foundation: Foundation,
  onTurnEnd: CompletionDependencies['onTurnEnd'],
): Features {
  const administration = connectAdministration(foundation, {
    operatorKeys: config.serviceKeys,
    recordings: {
      removeAllInWorkspace: (transaction, id) => calls.recordingRemoval.removeAllInWorkspace(transaction, id),
    },
  })
  const { vendorKeys: keys, readSigningSecrets, createSecretReader } = administration
  const models = foundation.outbound.models.withKeys(keys)
  const engines = connectEngines(foundation, models)
  const agents = engines.agentResolver
  const retrieval = openRetrieval(config, foundation)
  const dialogueOptions = {
    deadlines: config,
    agents,
    knowledge: retrieval,
    readSecrets: readSigningSecrets,
    createSecretReader,
  }
  const createDialogueDependencies = connectDialogue(foundation, dialogueOptions)
  const chats = connectChats(foundation, {
    agents,
    models,
    createDialogueDependencies,
    readSecrets: readSigningSecrets,
    onTurnEnd,
    readKnowledgeBase: (workspaceId, id) => knowledge.read(workspaceId, id),
    readCallPayload: (workspaceId, id, event) => calls.readCallPayload(workspaceId, id, event),
  })
  const webhooks = chats.webhooks.events
  const knowledge = connectKnowledge(foundation, { searches: retrieval, webhooks })
  const voices = connectVoices(foundation, { keys, operatorVoices: config.speech.voices })
  const { speech, catalog } = voices
  const findVoice = catalog.resolveVoice
  const calls = connectCalls(foundation, {
    agents,
    models,
    createDialogueDependencies,
    speech,
    findVoice,
    webhooks,
    turnModelFile: config.speech.turnModelFile,
  })
  const agentFeatures = connectAgents(foundation, { engines, models, voices: catalog, chats: chats.chats })
  return {
    createWorkspace: administration.createWorkspace,
    readBrand: administration.readBrand,
    completions: chats.completions,
    calls,
    demo: createDemoServices({ engines, agentFeatures, chats }),
    jobs: collectJobs(foundation, { administration, chats, knowledge, calls }),
    webhookDispatcher: chats.webhooks.dispatcher,
    register(api) {
      const responses = createResponseCache(foundation)
      for (const feature of [administration, chats, knowledge, voices, calls]) feature.register(api)
      for (const feature of [engines, agentFeatures]) feature.register({ api, responses })
      registerPlayground(api, foundation, {
        engines,
        models,
        createDialogueDependencies,
        createSecretReader,
      })
      const { runtime, storage } = foundation
      registerUsageRoutes(api, createUsageService({ database: storage.database, clock: runtime.clock }))
    },
    close: () => retrieval.close(),
  }
}

function openRetrieval(
  { knowledgeCacheBytes: cacheBytes }: Config,
  { runtime, storage, outbound }: Pick<Foundation, 'runtime' | 'storage' | 'outbound'>,
) {
  const { clock, logError } = runtime
  const { embedder, index } = outbound.knowledge
  return createRetrieval({ database: storage.database, clock, embedder, index, cacheBytes, logError })
}

function createResponseCache({ storage }: Pick<Foundation, 'storage'>) {
  return createReadCache<CachedResponse>({
    database: storage.database,
    tables: ['resources', 'resource_versions'],
    maxCharacters: MAX_CACHED_CHARACTERS,
    countCharacters: ({ json }) => json.content.length,
  })
}

interface JobSources {
  readonly administration: AdministrationFeatures
  readonly chats: Chats
  readonly knowledge: Knowledge
  readonly calls: ConnectedCalls
}

function collectJobs({ storage }: Pick<Foundation, 'storage'>, sources: JobSources): FeatureJobs {
  const { administration, chats, knowledge, calls } = sources
  const callCounts = createCallCountCompaction(storage.database)
  return {
    handlers: {
      'fold-call-counts': callCounts.handler,
      'sweep-sessions': { run: () => administration.sweepSessions() },
      'sweep-audit-log': { run: (_job, signal) => administration.sweepAuditLog(signal) },
      'sweep-turns': { run: (_job, signal) => chats.completions.sweep(signal) },
      ...chats.webhooks.handlers,
      ...chats.chatPostProcessing.handlers,
      ...knowledge.handlers,
      ...calls.handlers,
    },
    slowHandlers: knowledge.slowHandlers,
    schedules: [
      { name: 'sweep-sessions', pattern: '27 * * * *', kind: 'sweep-sessions', payload: {} },
      { name: 'sweep-turns', pattern: '* * * * *', kind: 'sweep-turns', payload: {} },
      { name: 'sweep-audit-log', pattern: '37 * * * *', kind: 'sweep-audit-log', payload: {} },
      ...callCounts.schedules,
      ...chats.webhooks.schedules,
      ...chats.chatPostProcessing.schedules,
      ...knowledge.schedules,
      ...calls.schedules,
    ],
  }
}

interface DemoSources {
  readonly engines: Engines
  readonly agentFeatures: Agents
  readonly chats: Chats
}

/** Collects the services that create the demo agent. */
function createDemoServices({ engines, agentFeatures, chats }: DemoSources): DemoServices {
  const { llms, flows } = engines
  const { agents, chatAgents } = agentFeatures
  return {
    createLlm: async (workspaceId, body) => (await llms.create(workspaceId, body)).response.llm_id,
    createAgent: async (workspaceId, body) => (await agents.create(workspaceId, body)).response.agent_id,
    createFlow: async (workspaceId, body) => (await flows.create(workspaceId, body)).response.conversation_flow_id,
    createChatAgent: async (workspaceId, body) => (await chatAgents.create(workspaceId, body)).response.agent_id,
    createChat: async (workspaceId, agentId) =>
      (await chats.chats.create(workspaceId, CreateChatBody.parse({ agentId }))).chatId,
  }
}
