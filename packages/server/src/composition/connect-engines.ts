import { type AgentUse, createAgentFollowers, createAgentUse } from '../features/agents/public.ts'
import { createToolVault, type EngineUsers, type ToolVault } from '../features/engines/public.ts'
import {
  createComponentService,
  createFlowService,
  createFlowSource,
  type FlowService,
  registerComponentRoutes,
  registerFlowRoutes,
} from '../features/flows/public.ts'
import { createLlmService, createLlmSource, type LlmService, registerLlmRoutes } from '../features/llms/public.ts'
import { createTestCaseEngineUsers } from '../features/test-cases/public.ts'
import type { WorkspaceModels } from '../integrations/models/workspace-models.ts'
import type { Api, CachedAnswer } from '../kernel/api/implement.ts'
import type { ReadCache } from '../kernel/storage/read-cache.ts'
import type { Foundation } from './foundation.ts'

/** What agents answer with, LLM configurations and flows, and how agents on them are loaded. */
export interface Engines {
  readonly sources: {
    readonly llm: ReturnType<typeof createLlmSource>
    readonly 'conversation-flow': ReturnType<typeof createFlowSource>
  }
  readonly llms: LlmService
  readonly flows: FlowService
  readonly agentUse: AgentUse
  readonly vault: ToolVault
  register(api: Api, answers: ReadCache<CachedAnswer>): void
}

export function connectEngines(
  { runtime, storage }: Pick<Foundation, 'runtime' | 'storage'>,
  models: WorkspaceModels,
): Engines {
  const { clock, makeId } = runtime
  const { database, secrets } = storage
  const sources = { llm: createLlmSource(), 'conversation-flow': createFlowSource() }
  const followers = createAgentFollowers()
  const users = allUsers(followers, createTestCaseEngineUsers())
  const vault = createToolVault(secrets)
  const versioned = { database, clock, makeId, models, followers, users, vault }
  const llms = createLlmService(versioned)
  const flows = createFlowService(versioned)
  return {
    sources,
    llms,
    flows,
    agentUse: createAgentUse({ database, engines: sources, vault }),
    vault,
    register(api, answers) {
      registerLlmRoutes(api, llms, answers)
      registerFlowRoutes(api, flows, answers)
      registerComponentRoutes(api, createComponentService(versioned))
    },
  }
}

/** Everything that stands on an engine, whichever feature it belongs to. */
function allUsers(...sources: readonly EngineUsers[]): EngineUsers {
  return {
    async usersOf(reader, workspaceId, engineId) {
      const found = await Promise.all(sources.map((source) => source.usersOf(reader, workspaceId, engineId)))
      return found.flat()
    },
  }
}
