import {
  type AgentRemoval,
  CHAT_AGENT,
  createAgentBinding,
  createAgentDrafts,
  createAgentService,
  createMcpServerFinder,
  registerAgentDraftRoutes,
  registerAgentRoutes,
  registerChatAgentRoutes,
  VOICE_AGENT,
} from '../features/agents/public.ts'
import { createFlowAgentRemoval } from '../features/flows/public.ts'
import { createLlmAgentRemoval } from '../features/llms/public.ts'
import {
  createMcpToolsService,
  type McpToolsDependencies,
  registerMcpToolsRoutes,
} from '../features/mcp-tools/public.ts'
import {
  createCarrierImporter,
  createNumberAgentRemoval,
  createNumberService,
  registerNumberRoutes,
} from '../features/numbers/public.ts'
import {
  createPlaygroundService,
  createToolTestService,
  registerPlaygroundRoutes,
} from '../features/playground/public.ts'
import { createTestCaseService, registerTestCaseRoutes } from '../features/test-cases/public.ts'
import type { VoiceCatalog } from '../features/voices/public.ts'
import type { WorkspaceModels } from '../integrations/models/workspace-models.ts'
import type { Api, CachedApi } from '../kernel/api/implement.ts'
import type { CreateDialogueDependencies, Engines } from './connect-engines.ts'
import type { Foundation } from './foundation.ts'

export interface AgentsOptions {
  readonly engines: Engines
  readonly models: WorkspaceModels
  readonly voices: VoiceCatalog
  /** Runs last on deletion, because stopped chats cannot be restarted after a later error. */
  readonly chats: AgentRemoval
}

export type Agents = ReturnType<typeof connectAgents>

/** Connects agents, phone numbers and test cases. */
export function connectAgents(
  { runtime, storage }: Pick<Foundation, 'runtime' | 'storage'>,
  { engines, models, voices, chats }: AgentsOptions,
) {
  const { clock, makeId, makeUuid } = runtime
  const { database, secrets } = storage
  const { sources } = engines
  const removals = [createLlmAgentRemoval(), createFlowAgentRemoval(), createNumberAgentRemoval(), chats]
  const agentDependencies = { database, clock, makeId, engines: sources, voices, removals, models }
  const agents = createAgentService(VOICE_AGENT, agentDependencies)
  const chatAgents = createAgentService(CHAT_AGENT, agentDependencies)
  const draftDependencies = { ...agentDependencies, llms: engines.llms }
  const drafts = createAgentDrafts(VOICE_AGENT, draftDependencies)
  const chatDrafts = createAgentDrafts(CHAT_AGENT, draftDependencies)
  return {
    agents,
    chatAgents,
    register(cachedApi: CachedApi): void {
      const { api } = cachedApi
      registerAgentRoutes(cachedApi, agents)
      registerChatAgentRoutes(cachedApi, chatAgents)
      registerAgentDraftRoutes(api, drafts, chatDrafts)
      const numberDependencies = { agents: createAgentBinding({ engines: sources }), carriers: createCarrierImporter() }
      registerNumberRoutes(api, createNumberService({ database, clock, makeUuid, secrets, ...numberDependencies }))
      registerTestCaseRoutes(api, createTestCaseService({ database, clock, makeId, engines: sources }))
    },
  }
}

export interface PlaygroundOptions {
  readonly engines: Engines
  readonly models: WorkspaceModels
  readonly createDialogueDependencies: CreateDialogueDependencies
  readonly createSecretReader: McpToolsDependencies['readSecrets']
}

/** Mounts the operations that test agents before release. */
export function registerPlayground(
  api: Api,
  { runtime, storage, outbound }: Pick<Foundation, 'runtime' | 'storage' | 'outbound'>,
  { engines, models, createDialogueDependencies, createSecretReader }: PlaygroundOptions,
): void {
  const { clock } = runtime
  const { agentResolver, vault } = engines
  const { mcp } = outbound.tools
  const servers = createMcpServerFinder({ agents: agentResolver })
  registerMcpToolsRoutes(api, createMcpToolsService({ servers, mcp, readSecrets: createSecretReader, clock }))
  const toolTests = createToolTestService({
    createDialogueDependencies,
    database: storage.database,
    vault,
  })
  registerPlaygroundRoutes(
    api,
    createPlaygroundService({ agents: agentResolver, models, createDialogueDependencies }),
    toolTests,
  )
}
