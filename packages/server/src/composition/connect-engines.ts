import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { ResolveModel, SecretReader } from '@parley/engine/ports'
import type { Config } from '../config.ts'
import {
  type AgentResolver,
  createAgentFollowers,
  createAgentLoader,
  createAgentResolver,
} from '../features/agents/public.ts'
import { createToolVault, type EngineUsers, type ToolVault } from '../features/engines/public.ts'
import {
  createComponentService,
  createFlowService,
  createFlowSource,
  type FlowService,
  registerComponentRoutes,
  registerFlowRoutes,
} from '../features/flows/public.ts'
import type { Retrieval } from '../features/knowledge/public.ts'
import {
  createLlmService,
  createLlmSource,
  createModelList,
  type LlmService,
  registerLlmRoutes,
  registerModelRoutes,
} from '../features/llms/public.ts'
import { createTestCaseEngineUsers } from '../features/test-cases/public.ts'
import type { WorkspaceModels } from '../integrations/models/workspace-models.ts'
import type { CachedApi } from '../kernel/api/implement.ts'
import type { Foundation } from './foundation.ts'

/** LLM configurations, flows, and the loading of agents that use them. */
export interface Engines {
  readonly sources: {
    readonly llm: ReturnType<typeof createLlmSource>
    readonly 'conversation-flow': ReturnType<typeof createFlowSource>
  }
  readonly llms: LlmService
  readonly flows: FlowService
  readonly agentResolver: AgentResolver
  readonly vault: ToolVault
  register(cachedApi: CachedApi): void
}

export function connectEngines(
  { runtime, storage, outbound }: Pick<Foundation, 'runtime' | 'storage' | 'outbound'>,
  models: WorkspaceModels,
): Engines {
  const { clock, makeId } = runtime
  const { database, secrets } = storage
  const sources = { llm: createLlmSource(), 'conversation-flow': createFlowSource() }
  const followers = createAgentFollowers()
  const users = combineUsers(followers, createTestCaseEngineUsers())
  const vault = createToolVault(secrets)
  const engineDependencies = { database, clock, makeId, models, followers, users, vault }
  const llms = createLlmService(engineDependencies)
  const flows = createFlowService(engineDependencies)
  return {
    sources,
    llms,
    flows,
    agentResolver: createAgentResolver({ database, engines: sources, vault }),
    vault,
    register(cachedApi) {
      registerLlmRoutes(cachedApi, llms)
      registerModelRoutes(cachedApi.api, createModelList({ database, models, prices: outbound.models.prices }))
      registerFlowRoutes(cachedApi, flows)
      registerComponentRoutes(cachedApi.api, createComponentService(engineDependencies))
    },
  }
}

/** Combines the users of an engine from all features. */
function combineUsers(...sources: readonly EngineUsers[]): EngineUsers {
  return {
    async findUsers(reader, workspaceId, engineId) {
      const usersBySource = await Promise.all(sources.map((source) => source.findUsers(reader, workspaceId, engineId)))
      return usersBySource.flat()
    },
  }
}

/** Maximum duration of a response. */
const TOTAL_TIMEOUT_MS = 300_000

/** Shown to agent builders and models if no carrier is connected. */
const NO_SMS_CARRIER = 'No carrier that sends text messages is connected to this workspace.'

interface DialogueOptions {
  readonly deadlines: Pick<Config, 'firstTokenTimeoutMs' | 'idleTokenTimeoutMs'>
  readonly agents: AgentResolver
  readonly knowledge: Pick<Retrieval, 'forWorkspace'>
  /** Returns the active signing secrets of a workspace, for its tools. */
  readonly readSecrets: (workspaceId: number) => Promise<readonly string[]>
  readonly createSecretReader: (workspaceId: number) => SecretReader
}

/** Returns the dialogue engine's dependencies for a workspace and its models. */
export type CreateDialogueDependencies = (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies

export function connectDialogue(
  { runtime, storage, outbound }: Pick<Foundation, 'runtime' | 'storage' | 'outbound'>,
  { deadlines, agents, knowledge, readSecrets, createSecretReader }: DialogueOptions,
): CreateDialogueDependencies {
  const { clock, makeId } = runtime
  const { database } = storage
  const { code, mcp, customLlm } = outbound.tools
  const httpTools = outbound.tools.http(readSecrets)
  const { firstTokenTimeoutMs: firstTokenMs, idleTokenTimeoutMs: idleMs } = deadlines
  const sms = { send: async () => ({ status: 'unsent', reason: NO_SMS_CARRIER }) as const }
  return (workspaceId, resolveModel) => ({
    resolveModel,
    httpTools: httpTools.forWorkspace(workspaceId),
    code: code.forWorkspace(workspaceId),
    mcp,
    secrets: createSecretReader(workspaceId),
    customLlm,
    sms,
    knowledge: knowledge.forWorkspace(workspaceId),
    agents: createAgentLoader(async (agentId, version) => {
      const request = { workspaceId, agentId, version, now: clock.now() }
      const pin = await database.transaction((transaction) => agents.pin(transaction, request))
      return await agents.load({ ...pin, workspaceId })
    }),
    clock,
    makeId,
    deadlines: { firstTokenMs, idleMs, totalMs: TOTAL_TIMEOUT_MS },
  })
}
