import type { Call } from '@parley/contract/call'
import type { Chat } from '@parley/contract/chat'
import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { AgentResolver } from '../features/agents/public.ts'
import {
  type ChatEvents,
  type ChatService,
  type CompletionDependencies,
  CompletionService,
  createChatService,
  findChat,
  registerChatRoutes,
} from '../features/chats/public.ts'
import {
  type ChatLifecycle,
  type ChatPostProcessing,
  createChatLifecycle,
  createChatPostProcessing,
  listNotifiedWebhooks,
  loadChatAgents,
  parsePolicy,
  redact,
  redactOrOmit,
  registerChatAnalysisRoutes,
  type StoragePolicy,
} from '../features/post-processing/public.ts'
import { createWebhooks, type ReadWebhookSubject, type Webhooks } from '../features/webhooks/public.ts'
import type { WorkspaceModels } from '../integrations/models/workspace-models.ts'
import type { Api } from '../kernel/api/implement.ts'
import { AppError } from '../kernel/errors.ts'
import type { CreateDialogueDependencies } from './connect-engines.ts'
import type { Foundation } from './foundation.ts'

/** Bus topic that announces new webhook deliveries. */
const DELIVERIES_WRITTEN_TOPIC = 'webhook-deliveries.written'

export interface ChatsOptions {
  readonly agents: AgentResolver
  readonly models: WorkspaceModels
  readonly createDialogueDependencies: CreateDialogueDependencies
  readonly readSecrets: (workspaceId: number) => Promise<readonly string[]>
  readonly onTurnEnd: CompletionDependencies['onTurnEnd']
  /** Returns the webhook payload of a knowledge base. Throws `not_found` if it was deleted. */
  readonly readKnowledgeBase: (workspaceId: number, knowledgeBaseId: string) => Promise<KnowledgeBase>
  /** Returns the payload of a call for a webhook event, or null if the call was deleted. */
  readonly readCallPayload: (workspaceId: number, callId: string, event: WebhookEventName) => Promise<Call | null>
}

/** Chats, their post-processing, and webhooks. */
export interface Chats {
  readonly completions: CompletionService
  readonly chats: ChatService
  readonly webhooks: Webhooks
  readonly chatPostProcessing: ChatPostProcessing
  register(api: Api): void
}

type ChatParts = Pick<Foundation, 'runtime' | 'storage' | 'cluster' | 'outbound'>

export function connectChats(parts: ChatParts, options: ChatsOptions): Chats {
  const { clock, makeId, background } = parts.runtime
  const { database } = parts.storage
  const { bus, nodes, jobs, sharedClock } = parts.cluster
  const { computeCost } = parts.outbound.models
  const { agents, models, createDialogueDependencies, onTurnEnd } = options
  // Chats and webhooks depend on each other, so `chats` is only read when an event is sent.
  const readChat = (workspaceId: number, chatId: string): Promise<Chat> => chats.get(workspaceId, chatId)
  const webhooks = connectWebhooks(parts, { ...options, readChat })
  const lifecycle = createChatLifecycle({ database, clock: sharedClock, jobs })
  const events = createChatEvents({ agents, lifecycle, webhooks: webhooks.events, warm: parts.outbound.models.warm })
  const turnDependencies = {
    database,
    clock,
    makeId,
    nodes,
    bus,
    background,
    createDialogueDependencies,
    computeCost,
    onTurnEnd,
  }
  const completions = new CompletionService({ ...turnDependencies, agents, models, events })
  const chats = createChatService({ database, clock, makeId, agents, completions, events })
  const chatPostProcessing = createChatPostProcessing({
    database,
    clock: sharedClock,
    processClock: clock,
    makeId,
    jobs,
    agents,
    models,
    computeCost,
    redaction: parts.outbound.redaction,
    lifecycle,
    webhooks: webhooks.events,
    readChat,
  })
  return {
    completions,
    chats,
    webhooks,
    chatPostProcessing,
    register(api) {
      registerChatRoutes(api, chats, completions)
      registerChatAnalysisRoutes(api, chatPostProcessing.analysisService)
      webhooks.register(api)
    },
  }
}

interface ChatEventSources {
  readonly agents: AgentResolver
  readonly lifecycle: ChatLifecycle
  readonly webhooks: Webhooks['events']
  /** Loads the model for the first turn. */
  readonly warm: (model: string) => void
}

/** Creates the handler of chat events, which publishes webhooks. */
function createChatEvents({ agents, lifecycle, webhooks, warm }: ChatEventSources): ChatEvents {
  const publishEvent = (
    event: 'chat_started' | 'transcript_updated',
    chat: { readonly workspace_id: number; readonly chat_id: string },
    webhookAgents: ReturnType<typeof listNotifiedWebhooks>,
  ) => {
    const { workspace_id: workspaceId, chat_id: id } = chat
    return webhooks.buildStatements({ workspaceId, event, subject: { kind: 'chat', id }, agents: webhookAgents })
  }
  return {
    getInitialColumns: lifecycle.getInitialColumns,
    getHandoffColumns: lifecycle.getHandoffColumns,
    onEnded: lifecycle.onEnded,
    tightenStorage: lifecycle.tightenStorage,
    onRemoved: (id) => webhooks.buildDeleteStatements({ kind: 'chat', id }),
    onStarted: (chat, agent) => {
      if (agent.engine.kind !== 'custom-llm') warm(agent.engine.model)
      return publishEvent('chat_started', chat, [agent.webhook])
    },
    onTurnsEnded: async (chat) =>
      publishEvent('transcript_updated', chat, listNotifiedWebhooks(await loadChatAgents(agents, chat))),
  }
}

interface WebhookOptions extends Pick<ChatsOptions, 'readSecrets' | 'readKnowledgeBase' | 'readCallPayload'> {
  readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
}

function connectWebhooks({ runtime, storage, cluster, outbound }: ChatParts, options: WebhookOptions): Webhooks {
  const { makeId, version, logError } = runtime
  const { database } = storage
  const { bus, jobs, sharedClock: clock } = cluster
  const { sendWebhook: send, targets, redaction } = outbound
  // Announces deliveries over the bus, so that other nodes do not have to wait for their next poll.
  database.onInsert('webhook_deliveries', () => bus.publish(DELIVERIES_WRITTEN_TOPIC, null))
  return createWebhooks({
    database,
    clock,
    makeId,
    bus,
    jobs,
    send,
    targets,
    version,
    logError,
    readSecrets: options.readSecrets,
    readSubject: createSubjectReader({ database, redaction }, options),
    onDeliveriesWritten: (listener) => bus.subscribe(DELIVERIES_WRITTEN_TOPIC, listener),
  })
}

/** Creates the reader of webhook payloads. Redacts chats as their storage policy requires. */
function createSubjectReader(
  { database, redaction }: Pick<ChatParts['storage'], 'database'> & Pick<ChatParts['outbound'], 'redaction'>,
  { readChat, readKnowledgeBase, readCallPayload }: WebhookOptions,
): ReadWebhookSubject {
  return async (workspaceId, { kind, id }, event) => {
    if (kind === 'call') {
      const call = await readCallPayload(workspaceId, id, event)
      return call === null ? null : { call }
    }
    if (kind === 'knowledge_base') {
      const knowledgeBase = await ignoreNotFound(readKnowledgeBase(workspaceId, id))
      return knowledgeBase === null ? null : { knowledge_base: knowledgeBase }
    }
    const row = await findChat(database.read, workspaceId, id)
    if (row === null) return null
    const policy = parsePolicy(row.storage)
    const chat = await readChat(workspaceId, id)
    if (policy === null) return { chat }
    const redactChat = (appliedPolicy: StoragePolicy) =>
      redact(redaction, workspaceId, { kind: 'chat', chat, policy: appliedPolicy })
    return { chat: (await redactOrOmit(policy, redactChat)).result }
  }
}

async function ignoreNotFound<Value>(promise: Promise<Value>): Promise<Value | null> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
