import { CreateChatBody } from '@parley/contract/chat'
import { type Accounts, connectAccounts } from './connect-accounts.ts'
import { type ConnectedCalls, connectCalls } from './connect-calls.ts'
import { connectChats } from './connect-chats.ts'
import { connectDialogue } from './connect-dialogue.ts'
import { connectKnowledge } from './connect-knowledge.ts'
import { createAgentBinding } from './features/agents/agent-binding.ts'
import { createAgentFollowers } from './features/agents/agent-followers.ts'
import { registerAgentRoutes, registerChatAgentRoutes } from './features/agents/agent-routes.ts'
import { createAgentService } from './features/agents/agent-service.ts'
import { createAgentUse } from './features/agents/agent-use.ts'
import { CHAT_AGENT } from './features/agents/chat-agent-kind.ts'
import { createMcpServerFinder } from './features/agents/mcp-server-finder.ts'
import { VOICE_AGENT } from './features/agents/voice-agent-kind.ts'
import { createVoiceUsers } from './features/agents/voice-users.ts'
import { createCallCountFolding } from './features/calls/call-counts.ts'
import type { CompletionService } from './features/chats/completion-service.ts'
import type { DemoServices } from './features/demo/seed-demo.ts'
import { registerComponentRoutes } from './features/flows/component-routes.ts'
import { createComponentService } from './features/flows/component-service.ts'
import { createFlowAgentRemoval } from './features/flows/flow-agent-removal.ts'
import { registerFlowRoutes } from './features/flows/flow-routes.ts'
import { createFlowService } from './features/flows/flow-service.ts'
import { createFlowSource } from './features/flows/flow-source.ts'
import { createLlmAgentRemoval } from './features/llms/llm-agent-removal.ts'
import { registerLlmRoutes } from './features/llms/llm-routes.ts'
import { createLlmService } from './features/llms/llm-service.ts'
import { createLlmSource } from './features/llms/llm-source.ts'
import { registerMcpToolsRoutes } from './features/mcp-tools/mcp-tools-routes.ts'
import { createMcpToolsService } from './features/mcp-tools/mcp-tools-service.ts'
import { createCarrierImport } from './features/numbers/carrier-import.ts'
import { createNumberAgentRemoval } from './features/numbers/number-agent-removal.ts'
import { registerNumberRoutes } from './features/numbers/number-routes.ts'
import { createNumberService } from './features/numbers/number-service.ts'
import { registerPlaygroundRoutes } from './features/playground/playground-routes.ts'
import { createPlaygroundService } from './features/playground/playground-service.ts'
import { createToolTestService } from './features/playground/tool-test-service.ts'
import { createTestCaseEngineUsers } from './features/test-cases/test-case-engine-users.ts'
import { registerTestCaseRoutes } from './features/test-cases/test-case-routes.ts'
import { createTestCaseService } from './features/test-cases/test-case-service.ts'
import { registerUsageRoutes } from './features/usage/usage-routes.ts'
import { createUsageService } from './features/usage/usage-service.ts'
import { createCommunityVoiceService } from './features/voices/community-voice-service.ts'
import { createVoiceCatalogue } from './features/voices/voice-catalogue.ts'
import { createVoicePreviewService } from './features/voices/voice-preview-service.ts'
import { registerVoicePreviewRoutes, registerVoiceRoutes } from './features/voices/voice-routes.ts'
import type { Webhooks } from './features/webhooks/webhooks.ts'
import type { Foundation } from './foundation.ts'
import type { EngineUsers } from './kernel/engine-source.ts'
import type { Api, KeptAnswer } from './kernel/implement.ts'
import type { JobHandler, JobSchedule } from './kernel/jobs.ts'
import { createReadCache } from './kernel/read-cache.ts'
import { createToolVault } from './kernel/tool-vault.ts'
import { createPreviewSpeaker } from './providers/speech/preview-speech.ts'
import { createProvidedVoices } from './providers/speech/provided-voices.ts'

export interface Features extends Pick<Accounts, 'createWorkspace' | 'readBrand'> {
  readonly completions: CompletionService
  readonly calls: ConnectedCalls
  readonly demo: DemoServices
  readonly handlers: Readonly<Record<string, JobHandler>>
  /** Work that waits for others, and is to take no places from the rest. */
  readonly slowHandlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  /** Sends what systems of customers are told. */
  readonly webhookDispatcher: Webhooks['dispatcher']
  /** Mounts the operations of every feature. */
  register(api: Api): void
}

/** Answers of the reads of versioned resources: at most 32 MB, half of that for plain ASCII. */
const MAX_KEPT_CHARACTERS = 16_000_000

/** Creates the services and gives each the part of the others that it needs. */
export function connectFeatures(foundation: Foundation): Features {
  const { database, clock, makeId } = foundation
  const accounts = connectAccounts(foundation, {
    // Made below, from what is made of this: they are looked up when a workspace is deleted.
    removeAllOf: (transaction, workspaceId) => calls.recordingRemoval.removeAllOf(transaction, workspaceId),
  })
  const models = foundation.workspaceModels(accounts.providerKeys)
  const engines = { llm: createLlmSource(), 'conversation-flow': createFlowSource() }
  const followers = createAgentFollowers()
  const users = allUsers(followers, createTestCaseEngineUsers())
  const vault = createToolVault(foundation.secrets)
  const versioned = { database, clock, makeId, models, followers, users, vault }
  const llms = createLlmService(versioned)
  const flows = createFlowService(versioned)
  const namedSecrets = accounts.namedSecrets
  const agentUse = createAgentUse({ database, engines, vault })
  const dialogueFor = connectDialogue(foundation, {
    agents: agentUse,
    secretsFor: accounts.signingSecrets,
    namedSecrets,
  })
  const conversations = connectChats(foundation, {
    agents: agentUse,
    models,
    dialogueFor,
    secretsFor: accounts.signingSecrets,
    // Made below, from what is made of this: it is looked up when a webhook is sent.
    readKnowledgeBase: (workspaceId, id) => knowledge.read(workspaceId, id),
    tellCall: (workspaceId, id, event) => calls.tellCall(workspaceId, id, event),
  })
  const { completions, chats, webhooks, afterChats } = conversations
  const knowledge = connectKnowledge(foundation, { searches: foundation.knowledge, webhooks: webhooks.events })
  const speech = foundation.speechProviders(accounts.providerKeys)
  const voices = createVoiceCatalogue(database, createProvidedVoices(speech, foundation.speechVoices))
  const calls = connectCalls(foundation, {
    agents: agentUse,
    models,
    dialogueFor,
    speech,
    findVoice: (workspaceId, voiceId) => voices.findSpeaker(workspaceId, voiceId),
    webhooks: webhooks.events,
  })
  // Chats last: stopping their turns is the one thing that a later refusal could not take back.
  const removals = [createLlmAgentRemoval(), createFlowAgentRemoval(), createNumberAgentRemoval(), chats]
  const agentDependencies = { database, clock, makeId, engines, voices, removals, models }
  const agents = createAgentService(VOICE_AGENT, agentDependencies)
  const chatAgents = createAgentService(CHAT_AGENT, agentDependencies)
  const { createWorkspace, readBrand, sweepSessions, sweepAuditLog } = accounts
  const callCounts = createCallCountFolding(database)

  return {
    completions,
    calls,
    createWorkspace,
    readBrand,
    handlers: {
      'fold-call-counts': callCounts.handler,
      'sweep-sessions': { run: () => sweepSessions() },
      'sweep-audit-log': { run: (_job, signal) => sweepAuditLog(signal) },
      'sweep-turns': { run: (_job, signal) => completions.sweep(signal) },
      ...webhooks.handlers,
      ...afterChats.handlers,
      ...knowledge.handlers,
      ...calls.handlers,
    },
    slowHandlers: knowledge.slowHandlers,
    schedules: [
      { name: 'sweep-sessions', pattern: '27 * * * *', kind: 'sweep-sessions', payload: {} },
      { name: 'sweep-turns', pattern: '* * * * *', kind: 'sweep-turns', payload: {} },
      { name: 'sweep-audit-log', pattern: '37 * * * *', kind: 'sweep-audit-log', payload: {} },
      ...callCounts.schedules,
      ...webhooks.schedules,
      ...afterChats.schedules,
      ...knowledge.schedules,
      ...calls.schedules,
    ],
    webhookDispatcher: webhooks.dispatcher,
    demo: {
      createLlm: async (workspaceId, body) => (await llms.create(workspaceId, body)).answer.llm_id,
      createAgent: async (workspaceId, body) => (await agents.create(workspaceId, body)).answer.agent_id,
      createFlow: async (workspaceId, body) => (await flows.create(workspaceId, body)).answer.conversation_flow_id,
      createChatAgent: async (workspaceId, body) => (await chatAgents.create(workspaceId, body)).answer.agent_id,
      createChat: async (workspaceId, agentId) =>
        (await chats.create(workspaceId, CreateChatBody.parse({ agentId }))).chatId,
    },
    register(api) {
      accounts.register(api)
      const answers = createReadCache<KeptAnswer>({
        database,
        tables: ['resources', 'resource_versions'],
        maxCharacters: MAX_KEPT_CHARACTERS,
        charactersOf: ({ json }) => json.content.length,
      })
      registerLlmRoutes(api, llms, answers)
      registerAgentRoutes(api, agents, answers)
      registerChatAgentRoutes(api, chatAgents, answers)
      registerFlowRoutes(api, flows, answers)
      registerComponentRoutes(api, createComponentService(versioned))
      conversations.register(api)
      knowledge.register(api)
      const { mcp } = foundation
      registerMcpToolsRoutes(
        api,
        createMcpToolsService({
          servers: createMcpServerFinder({ agents: agentUse }),
          mcp,
          secretsFor: namedSecrets,
          clock,
        }),
      )
      const playgroundPorts = { agents: agentUse, models, dialogueFor }
      const toolTests = createToolTestService({ dialogueFor, database, vault })
      registerPlaygroundRoutes(api, createPlaygroundService(playgroundPorts), toolTests)
      const directories = foundation.voiceDirectories
      const voicePorts = { keys: accounts.providerKeys, directories, users: createVoiceUsers() }
      registerVoiceRoutes(api, voices, createCommunityVoiceService({ database, clock, makeId, ...voicePorts }))
      registerVoicePreviewRoutes(
        api,
        createVoicePreviewService({ catalogue: voices, speaker: createPreviewSpeaker(speech, clock) }),
      )
      const numberPorts = { agents: createAgentBinding({ engines }), carriers: createCarrierImport() }
      registerNumberRoutes(api, createNumberService({ ...foundation, ...numberPorts }))
      registerTestCaseRoutes(api, createTestCaseService({ database, clock, makeId, engines }))
      calls.register(api)
      registerUsageRoutes(api, createUsageService({ database, clock }))
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
