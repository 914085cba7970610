import type { Call } from '@parley/contract/call'
import type { Chat } from '@parley/contract/chat'
import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { ResolveModel } from '@parley/engine/ports'
import type { ChatEvents } from './features/chats/chat-events.ts'
import { registerChatRoutes } from './features/chats/chat-routes.ts'
import { type ChatService, createChatService } from './features/chats/chat-service.ts'
import { findChat } from './features/chats/chat-store.ts'
import { CompletionService } from './features/chats/completion-service.ts'
import { type AfterChats, createAfterChats } from './features/endings/chats/after-chats.ts'
import { loadChatAgents } from './features/endings/chats/chat-agents.ts'
import { registerChatAnalysisRoutes } from './features/endings/chats/chat-analysis-routes.ts'
import { createChatEndings } from './features/endings/chats/chat-endings.ts'
import { webhooksOf } from './features/endings/policy/holding-agents.ts'
import { readPolicy, type StoragePolicy } from './features/endings/policy/storage-policy.ts'
import { redact, redactOrWithhold } from './features/endings/redaction-tasks.ts'
import { createWebhooks, type Webhooks } from './features/webhooks/webhooks.ts'
import type { Foundation } from './foundation.ts'
import { AppError } from './kernel/errors.ts'
import type { Api } from './kernel/implement.ts'
import type { AgentUse } from './kernel/pinned-agent.ts'
import type { ReadWebhookSubject } from './kernel/webhook-events.ts'
import type { WorkspaceModels } from './providers/models/workspace-models.ts'

export interface ChatsOptions {
  readonly agents: AgentUse
  readonly models: WorkspaceModels
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly secretsFor: (workspaceId: number) => Promise<readonly string[]>
  /** As webhooks tell of it; throws `not_found` when it is gone. */
  readonly readKnowledgeBase: (workspaceId: number, knowledgeBaseId: string) => Promise<KnowledgeBase>
  /** As webhooks of this event tell of it; null when it is gone. */
  readonly tellCall: (workspaceId: number, callId: string, event: WebhookEventName) => Promise<Call | null>
}

/** Chats, what becomes of them afterwards, and the systems that are told of them. */
export interface Chats {
  readonly completions: CompletionService
  readonly chats: ChatService
  readonly webhooks: Webhooks
  readonly afterChats: AfterChats
  register(api: Api): void
}

/** Creates the services around chats and gives each the part of the others that it needs. */
export function connectChats(foundation: Foundation, options: ChatsOptions): Chats {
  const { database, jobs, makeId, sharedClock } = foundation
  const { agents, models } = options
  // Both are made from what is made of them: they are looked up when a chat is told of.
  const readChat = (workspaceId: number, chatId: string): Promise<Chat> => chats.get(workspaceId, chatId)
  const webhooks = createWebhooks({
    ...foundation,
    clock: sharedClock,
    secretsFor: options.secretsFor,
    readSubject: createSubjectReader(foundation, { ...options, readChat }),
  })
  const endings = createChatEndings({ database, clock: sharedClock, jobs })
  const events: ChatEvents = {
    begin: endings.begin,
    handOver: endings.handOver,
    ended: endings.ended,
    tighten: endings.tighten,
    removed: (id) => webhooks.events.forget({ kind: 'chat', id }),
    started: (chat, agent) => tell('chat_started', chat, [agent.webhook]),
    said: async (chat) => tell('transcript_updated', chat, webhooksOf(await loadChatAgents(agents, chat))),
  }
  const tell = (
    event: 'chat_started' | 'transcript_updated',
    chat: { readonly workspace_id: number; readonly chat_id: string },
    told: ReturnType<typeof webhooksOf>,
  ) =>
    webhooks.events.statements({
      workspaceId: chat.workspace_id,
      event,
      subject: { kind: 'chat', id: chat.chat_id },
      agents: told,
    })
  const completions = new CompletionService({ ...foundation, ...options, events })
  const chats = createChatService({ ...foundation, agents, completions, events })
  const afterChats = createAfterChats({
    ...foundation,
    clock: sharedClock,
    processClock: foundation.clock,
    makeId,
    agents,
    models,
    endings,
    webhooks: webhooks.events,
    readChat,
  })
  return {
    completions,
    chats,
    webhooks,
    afterChats,
    register(api) {
      registerChatRoutes(api, chats, completions)
      registerChatAnalysisRoutes(api, afterChats.analyses)
      webhooks.register(api)
    },
  }
}

/** What webhooks say of what they are about: of a chat no more than is stored of it in the end. */
function createSubjectReader(
  { database, redaction }: Pick<Foundation, 'database' | 'redaction'>,
  {
    readChat,
    readKnowledgeBase,
    tellCall,
  }: Pick<ChatsOptions, 'readKnowledgeBase' | 'tellCall'> & {
    readonly readChat: (workspaceId: number, chatId: string) => Promise<Chat>
  },
): ReadWebhookSubject {
  return async (workspaceId, { kind, id }, event) => {
    if (kind === 'call') {
      const call = await tellCall(workspaceId, id, event)
      return call === null ? null : { call }
    }
    if (kind === 'knowledge_base') {
      const found = await orGone(readKnowledgeBase(workspaceId, id))
      return found === null ? null : { knowledge_base: found }
    }
    const row = await findChat(database.read, workspaceId, id)
    if (row === null) return null
    const policy = readPolicy(row.storage)
    const chat = await readChat(workspaceId, id)
    if (policy === null) return { chat }
    const redacting = (by: StoragePolicy) => redact(redaction, workspaceId, { kind: 'chat', chat, policy: by })
    return { chat: (await redactOrWithhold(policy, redacting)).result }
  }
}

async function orGone<Found>(reading: Promise<Found>): Promise<Found | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
