import { CreateChatBody } from '@parley/contract/chat'
import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { Clock, HttpToolClient, MakeId } from '@parley/engine/ports'
import { createAgentFollowers } from './features/agents/agent-followers.ts'
import { registerAgentRoutes } from './features/agents/agent-routes.ts'
import { createAgentService } from './features/agents/agent-service.ts'
import { createAgentUse } from './features/agents/agent-use.ts'
import { createAuditTrail } from './features/audit/audit-trail.ts'
import { ChatLines } from './features/chats/chat-lines.ts'
import { registerChatRoutes } from './features/chats/chat-routes.ts'
import { createChatService } from './features/chats/chat-service.ts'
import { type CompletionDependencies, CompletionService } from './features/chats/completion-service.ts'
import { registerConcurrencyRoutes } from './features/concurrency/concurrency-routes.ts'
import { createConcurrencyService } from './features/concurrency/concurrency-service.ts'
import type { DemoServices } from './features/demo/seed-demo.ts'
import { registerLlmRoutes } from './features/llms/llm-routes.ts'
import { createLlmService } from './features/llms/llm-service.ts'
import { createLlmSource } from './features/llms/llm-source.ts'
import { registerSigningSecretRoutes } from './features/signing-secrets/signing-secret-routes.ts'
import { createSigningSecretService } from './features/signing-secrets/signing-secret-service.ts'
import { registerVoiceRoutes } from './features/voices/voice-routes.ts'
import { createVoiceService } from './features/voices/voice-service.ts'
import { registerWorkspaceRoutes } from './features/workspaces/workspace-routes.ts'
import { createWorkspaceService, type WorkspaceService } from './features/workspaces/workspace-service.ts'
import type { Api, KeptAnswer } from './http/implement.ts'
import type { AuditTrail } from './kernel/audit.ts'
import type { Background } from './kernel/background.ts'
import type { Bus } from './kernel/bus.ts'
import type { Database } from './kernel/database.ts'
import { createReadCache } from './kernel/read-cache.ts'
import type { Secrets } from './kernel/secrets.ts'
import type { ModelCatalogue } from './providers/models/catalogue.ts'

/** What the features stand on. */
export interface Foundation extends Pick<CompletionDependencies, 'costOf' | 'onTurnEnd'> {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly makeUuid: () => string
  readonly randomBytes: (size: number) => Uint8Array
  readonly background: Background
  readonly secrets: Secrets
  readonly bus: Bus
  readonly models: ModelCatalogue
  readonly toolClients: (secretsFor: (workspaceId: number) => Promise<readonly string[]>) => {
    forWorkspace(workspaceId: number): HttpToolClient
  }
  readonly firstTokenTimeoutMs: number
  readonly idleTokenTimeoutMs: number
}

export interface Features {
  readonly completions: CompletionService
  readonly audit: AuditTrail
  readonly createWorkspace: WorkspaceService['createWorkspace']
  readonly demo: DemoServices
  /** Mounts the operations of every feature. */
  register(api: Api): void
}

/** No answer takes longer, however steadily it streams. */
const TOTAL_TIMEOUT_MS = 300_000

/** Answers of the reads of agents and LLMs: at most 32 MB, half of that for plain ASCII. */
const MAX_KEPT_CHARACTERS = 16_000_000

/** Creates the services and gives each the part of the others that it needs. */
export function connectFeatures(foundation: Foundation): Features {
  const { database, clock, makeId, models } = foundation
  const signingSecrets = createSigningSecretService(foundation)
  const workspaces = createWorkspaceService({ ...foundation, signingSecrets })
  const voices = createVoiceService()
  const concurrency = createConcurrencyService(foundation)
  const llmSource = createLlmSource()
  const followers = createAgentFollowers()
  const llms = createLlmService({ database, clock, makeId, models, followers, users: followers })
  const agentUse = createAgentUse({ database, llms: llmSource })
  const completions = new CompletionService({
    ...foundation,
    agents: agentUse,
    lines: new ChatLines(),
    dialogueFor: createDialogue(foundation, signingSecrets.activeSecrets),
  })
  const chats = createChatService({ database, clock, makeId, agents: agentUse, completions })
  const agents = createAgentService({ database, clock, makeId, llms: llmSource, voices, conversations: chats, models })

  return {
    completions,
    audit: createAuditTrail(database, clock, makeId),
    createWorkspace: workspaces.createWorkspace,
    demo: {
      createLlm: async (workspaceId, body) => (await llms.create(workspaceId, body)).answer.llm_id,
      createAgent: async (workspaceId, body) => (await agents.create(workspaceId, body)).answer.agent_id,
      createChat: async (workspaceId, agentId) =>
        (await chats.create(workspaceId, CreateChatBody.parse({ agentId }))).chatId,
    },
    register(api) {
      registerWorkspaceRoutes(api, workspaces)
      const answers = createReadCache<KeptAnswer>({
        database,
        tables: ['resources', 'resource_versions'],
        maxCharacters: MAX_KEPT_CHARACTERS,
        charactersOf: ({ json }) => json.content.length,
      })
      registerLlmRoutes(api, llms, answers)
      registerAgentRoutes(api, agents, answers)
      registerChatRoutes(api, chats, completions)
      registerVoiceRoutes(api, voices)
      registerConcurrencyRoutes(api, concurrency)
      registerSigningSecretRoutes(api, signingSecrets)
    },
  }
}

/** What the dialogue engine needs in each workspace. */
function createDialogue(
  foundation: Foundation,
  secretsFor: (workspaceId: number) => Promise<readonly string[]>,
): (workspaceId: number) => DialogueDependencies {
  const { clock, makeId, models, firstTokenTimeoutMs, idleTokenTimeoutMs } = foundation
  const tools = foundation.toolClients(secretsFor)
  const deadlines = { firstTokenMs: firstTokenTimeoutMs, idleMs: idleTokenTimeoutMs, totalMs: TOTAL_TIMEOUT_MS }
  return (workspaceId) => ({
    resolveModel: models.resolve,
    httpTools: tools.forWorkspace(workspaceId),
    clock,
    makeId,
    deadlines,
  })
}
