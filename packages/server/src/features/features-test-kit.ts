import { type Agent, CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import { type Chat, CreateChatBody } from '@parley/contract/chat'
import { type ChatAgent, CreateChatAgentBody, UpdateChatAgentBody } from '@parley/contract/chat-agent'
import type { VersionSelector } from '@parley/contract/fields'
import { CreateLlmBody, UpdateLlmBody } from '@parley/contract/llm'
import { NO_KNOWLEDGE } from '@parley/engine/dialogue/knowledge/knowledge-use'
import type { MakeId } from '@parley/engine/ports'
import { createManualClock, type ManualClock } from '@parley/engine/testing/manual-clock'
import { createUnreachablePorts } from '@parley/engine/testing/scripted-ports'
import { createOfflineModel } from '@parley/offline-model/offline-model'
import { type TemporaryDatabase, temporaryDatabase } from '../../../../testing/temporary-database.ts'
import { notFound } from '../kernel/errors.ts'
import type { Database } from '../kernel/storage/database.ts'
import { VersionStore } from '../kernel/versions/version-store.ts'
import { createBackground } from '../kernel/work/background.ts'
import { createInProcessBus } from '../platform/bus/in-process-bus.ts'
import { createEmbeddedNodes } from '../platform/nodes/embedded-nodes.ts'
import { createAgentBinding } from './agents/agent-binding.ts'
import { createAgentDrafts } from './agents/agent-drafts.ts'
import { type AgentsOnEngines, createAgentFollowers } from './agents/agent-followers.ts'
import { CHAT_AGENT, VOICE_AGENT } from './agents/agent-kind.ts'
import type { AgentRemoval } from './agents/agent-ports.ts'
import { createAgentResolver } from './agents/agent-resolver.ts'
import { type AgentService, createAgentService } from './agents/agent-service.ts'
import { findAgentsWithVoice } from './agents/agent-store.ts'
import type { AgentPin, AgentResolver, PinnedAgent } from './agents/pinned-agent.ts'
import { NOOP_CHAT_EVENTS } from './chats/chat-events.ts'
import { type ChatService, createChatService } from './chats/chat-service.ts'
import { type CompletionDependencies, CompletionService } from './chats/completion-service.ts'
import { createToolVault } from './engines/tool-vault.ts'
import { completeFlow, type FlowDefinition } from './flows/flow-definition.ts'
import { createFlowSource } from './flows/flow-source.ts'
import { createLlmAgentRemoval } from './llms/llm-reference-removal.ts'
import { createLlmService, type LlmService } from './llms/llm-service.ts'
import { createLlmSource } from './llms/llm-source.ts'
import { createSigningSecretService } from './signing-secrets/signing-secret-service.ts'
import { createWorkspaceService } from './workspaces/workspace-service.ts'

/** Opens the features on an empty database with workspaces 1 and 2. Only the models `fake/…` and `offline` exist. */
export async function wireFeatures() {
  const database = await temporaryDatabase()
  const time = createManualClock()
  const { clock } = time
  const makeId = createSequentialIds()
  const endedAgents: string[] = []
  const offline = createOfflineModel()
  const usable = {
    resolve: (name: string) => (name === 'offline' || name.startsWith('fake/') ? offline : null),
    listConfigured: () => ['offline', 'fake/*'],
    defaultModel: 'offline',
  }
  const models = { forWorkspace: async () => usable }
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
  const engines = { llm: createLlmSource(), 'conversation-flow': createFlowSource() }
  const followers = createAgentFollowers()
  const vault = createToolVault(reversibleSecrets)
  const agentResolver = createAgentResolver({ database, engines, vault })
  const chatting = createChats({ database, clock, makeId, models, agents: agentResolver })
  const recordRemoval: AgentRemoval = {
    removeAgentReferences: async (_transaction, { agentId }) => void endedAgents.push(agentId),
  }
  const removals = [createLlmAgentRemoval(), chatting.chats, recordRemoval]
  const voices = {
    has: async (_workspaceId: number, voiceId: string) => voiceId.startsWith('voice_builtin_'),
    get: async () => ({ provider: 'builtin' }),
  }
  const agentDependencies = { database, clock, makeId, models, engines, voices, removals }
  const agents = createAgentService(VOICE_AGENT, agentDependencies)
  const chatAgents = createAgentService(CHAT_AGENT, agentDependencies)
  const llms = createLlmService({ database, clock, makeId, models, followers, users: followers, vault })
  const drafts = {
    agentDrafts: createAgentDrafts(VOICE_AGENT, { ...agentDependencies, llms }),
    chatAgentDrafts: createAgentDrafts(CHAT_AGENT, { ...agentDependencies, llms }),
  }
  const agentBinding = createAgentBinding({ engines })
  await database.transaction(async (transaction) => {
    await workspaces.createWorkspace(transaction, 'First')
    await workspaces.createWorkspace(transaction, 'Second')
  })
  const onEngines = { agentResolver, agentBinding, followers, voiceUsers: findAgentsWithVoice }
  const resources = { llms, agents, chatAgents, ...drafts, ...onEngines, ...chatting, workspaces, signingSecrets }
  const features = { database, time, makeId, ...resources, ...createFlows(database, makeId, followers), endedAgents }
  return { ...features, ...createShortcuts(features), [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

/** Creates conversation flows in workspace 1, which are stored, edited and followed as in their feature. */
function createFlows(database: TemporaryDatabase, makeId: MakeId, followers: AgentsOnEngines) {
  const store = new VersionStore<FlowDefinition>('conversation-flow')
  const smallest = completeFlow({
    start_speaker: 'agent',
    global_prompt: '',
    model_choice: { type: 'cascading', model: 'offline' },
    model_temperature: null,
    begin_after_user_silence_ms: null,
    start_node_id: 'hello',
    nodes: [{ id: 'hello', type: 'conversation', instruction: { type: 'static_text', text: 'Hello.' } }],
    tools: [],
    default_dynamic_variables: {},
  })
  return {
    addFlow: async (fields: Partial<FlowDefinition> = {}): Promise<string> => {
      const id = makeId('conversation_flow')
      await database.transaction((transaction) =>
        store.insert(transaction, { id, workspaceId: 1, now: 0 }, { definition: { ...smallest, ...fields } }),
      )
      return id
    },
    /** Edits a flow and returns the names of agents without the edit in their new conversations. */
    patchFlow: (flowId: string, fields: Partial<FlowDefinition>): Promise<readonly string[]> =>
      database.transaction(async (transaction) => {
        const newest = await store.find(transaction, 1, flowId, 'latest')
        if (newest === null) throw notFound('conversation flow', flowId)
        const { version, frozen } = newest
        const definition = { ...newest.definition, ...fields }
        if (!frozen) {
          await store.updateDraft(transaction, { id: flowId, version, now: 0 }, { definition })
          return []
        }
        await store.insertNext(transaction, { id: flowId, version: version + 1, now: 0 }, { definition })
        return await followers.follow(transaction, { workspaceId: 1, engineId: flowId, now: 0 })
      }),
  }
}

type ChatDependencies = Pick<CompletionDependencies, 'database' | 'clock' | 'makeId' | 'models' | 'agents'>

/** Creates chats that answer but have no custom tools. */
function createChats(dependencies: ChatDependencies) {
  const { clock, makeId } = dependencies
  const deadlines = { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 60_000 }
  const httpTools = { call: () => Promise.reject(new Error('no tools here')) }
  const completions = new CompletionService({
    ...dependencies,
    nodes: createEmbeddedNodes('node_test'),
    bus: createInProcessBus(() => undefined),
    background: createBackground({ clock, logError: () => undefined }),
    createDialogueDependencies: (_workspaceId, resolveModel) => ({
      ...createUnreachablePorts(),
      resolveModel,
      httpTools,
      clock,
      makeId,
      deadlines,
    }),
    events: NOOP_CHAT_EVENTS,
    computeCost: () => null,
    onTurnEnd: () => undefined,
  })
  return { completions, chats: createChatService({ ...dependencies, completions, events: NOOP_CHAT_EVENTS }) }
}

interface Wired {
  readonly database: TemporaryDatabase
  readonly time: ManualClock
  readonly llms: LlmService
  readonly agents: AgentService<CreateAgentBody, UpdateAgentBody, Agent>
  readonly chatAgents: AgentService<CreateChatAgentBody, UpdateChatAgentBody, ChatAgent>
  readonly chats: ChatService
  readonly agentResolver: AgentResolver
}

/** Creates short forms of requests in workspace 1, parsed like a client's requests. */
function createShortcuts({ database, time, llms, agents, chatAgents, chats, agentResolver }: Wired) {
  const llmTarget = (llmId: string, ifMatch: number | null = null) => ({ workspaceId: 1, id: llmId, ifMatch })
  const agentTarget = (agentId: string, ifMatch: number | null = null) => ({ workspaceId: 1, id: agentId, ifMatch })
  return {
    llmTarget,
    agentTarget,
    addLlm: async (body: object = {}) => (await llms.create(1, CreateLlmBody.parse(body))).response.llm_id,
    patchLlm: (llmId: string, body: object, version?: number) =>
      llms.update({ ...llmTarget(llmId), version }, UpdateLlmBody.parse(body)),
    addAgent: async (llmId: string, body: object = {}) => {
      const engine = { response_engine: { type: 'llm', llm_id: llmId }, voice_id: 'voice_builtin_slt' }
      return (await agents.create(1, CreateAgentBody.parse({ ...engine, ...body }))).response.agent_id
    },
    addChatAgent: async (llmId: string, body: object = {}) => {
      const engine = { response_engine: { type: 'llm', llm_id: llmId } }
      return (await chatAgents.create(1, CreateChatAgentBody.parse({ ...engine, ...body }))).response.agent_id
    },
    patchAgent: (agentId: string, body: object, version?: number) =>
      agents.update({ ...agentTarget(agentId), version }, UpdateAgentBody.parse(body)),
    patchChatAgent: (agentId: string, body: object, version?: number) =>
      chatAgents.update({ ...agentTarget(agentId), version }, UpdateChatAgentBody.parse(body)),
    startChat: (agentId: string): Promise<Chat> => chats.create(1, CreateChatBody.parse({ agentId })),
    /** Pins an agent version, as the version's first conversation does. */
    pin: (agentId: string, version: VersionSelector = 'active'): Promise<AgentPin> =>
      database.transaction((transaction) =>
        agentResolver.pin(transaction, { workspaceId: 1, agentId, version, now: time.clock.now() }),
      ),
  }
}

/** Builds a chat-only agent on an LLM. */
export function pinnedAgent(fields: Partial<PinnedAgent> & { readonly model?: string } = {}): PinnedAgent {
  const { model = 'offline', ...rest } = fields
  return {
    agentId: 'agent_1',
    agentVersion: 1,
    agentName: 'Agent',
    engine: {
      kind: 'llm',
      id: 'llm_1',
      version: 1,
      model,
      generalPrompt: '',
      beginMessage: null,
      tools: [],
      mcps: [],
      states: [],
      startingState: null,
      temperature: null,
      knowledge: NO_KNOWLEDGE,
      defaultVariables: {},
    },
    timezone: 'UTC',
    fallbackModels: [],
    fallbackMessage: null,
    webhook: { url: null, events: [], timeoutMs: 10_000 },
    postProcessing: {
      analysisItems: [],
      analysisModel: null,
      endAfterSilenceMs: 3_600_000,
      autoCloseMessage: null,
      storage: 'everything',
      piiCategories: [],
      retentionDays: null,
    },
    voice: null,
    ...rest,
  }
}

/** Wraps a database so that `write` runs around each of its writes. */
export function aroundWrites(
  database: Database,
  write: <Result>(startWrite: () => Promise<Result>) => Promise<Result>,
): Database {
  return {
    capabilities: database.capabilities,
    read: database.read,
    queryBuilder: database.queryBuilder,
    transaction: (work, settings) => write(() => database.transaction(work, settings)),
    batch: (statements, settings) => write(() => database.batch(statements, settings)),
    getChangeCount: (tables) => database.getChangeCount(tables),
    close: () => database.close(),
  }
}

/** Creates ids `prefix_0…1`, `prefix_0…2` and so on. */
export function createSequentialIds(): MakeId {
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

/** Secrets that are sealed reversibly but bound to their purpose. */
export const reversibleSecrets = {
  encrypt: (plaintext: string, purpose: string) => `${purpose}:${Buffer.from(plaintext).toString('base64')}`,
  decrypt: (encryptedText: string, purpose: string) => {
    if (!encryptedText.startsWith(`${purpose}:`)) throw new Error('encrypted for another purpose')
    return Buffer.from(encryptedText.slice(purpose.length + 1), 'base64').toString()
  },
}
