import { createChat, deleteChat, endChat, getChat, listChats, updateChat } from '@parley/contract/chat'
import { listTurns, rewindChat } from '@parley/contract/chat-turn'
import { cancelTurn, createCompletion, getTurnEvents } from '@parley/contract/completion'
import { type Api, EventStream, implement, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import { toStorableText } from '../../kernel/storage/text.ts'
import type { ChatService } from './chat-service.ts'
import type { CompletionService } from './completion-service.ts'
import type { Turn } from './turn/turn-state.ts'

export function registerChatRoutes(api: Api, chats: ChatService, completions: CompletionService): void {
  registerChatOperations(api, chats)
  registerTurnOperations(api, chats, completions)
}

function registerChatOperations(api: Api, chats: ChatService): void {
  implement(api, createChat, ({ body }, { workspaceId }) => chats.create(workspaceId, body))
  implement(api, getChat, ({ path }, { workspaceId }) => chats.get(workspaceId, path.chatId))
  implement(api, updateChat, ({ path, body }, { workspaceId }) => chats.update(workspaceId, path.chatId, body))
  implement(api, endChat, ({ path }, { workspaceId }) => chats.end(workspaceId, path.chatId))
  implement(api, deleteChat, ({ path }, { workspaceId }) => chats.remove(workspaceId, path.chatId))
  implement(api, listChats, async ({ query }, context) => {
    const { agentId, status, search, startDate, endDate } = query
    const filter = { agentId, status, search, startedFrom: startDate, startedTo: endDate }
    return respondWithPage(context, await chats.list(context.workspaceId, filter, parsePageRequest(query)))
  })
}

function registerTurnOperations(api: Api, chats: ChatService, completions: CompletionService): void {
  implement(api, createCompletion, async ({ path, body }, context) => {
    const { workspaceId, idempotencyKey } = context
    const request = {
      workspaceId,
      chatId: path.chatId,
      content: toStorableText(body.content),
      actorId: context.actor.userId,
      idempotencyKey,
    }
    const turn = await completions.complete(request)
    if (turn.replayed) context.setReplayed()
    if (body.stream ?? context.acceptsEventStream) return new EventStream((sink) => turn.log.read(sink, 0))
    return { messages: await awaitMessages(turn) }
  })
  implement(api, getTurnEvents, async ({ path }, context) => {
    const log = await completions.follow(context.workspaceId, path.chatId, path.turnId)
    return new EventStream((sink) => log.read(sink, context.lastEventId ?? 0))
  })
  implement(api, listTurns, async ({ path, query }, context) =>
    respondWithPage(context, await chats.listTurns(context.workspaceId, path.chatId, parsePageRequest(query))),
  )
  implement(api, rewindChat, ({ path, body }, { workspaceId }) => chats.rewind(workspaceId, path.chatId, body.turnId))
  implement(api, cancelTurn, async ({ path }, { workspaceId }) => {
    const status = await completions.cancel(workspaceId, path.chatId, path.turnId)
    return { turn_id: path.turnId, status }
  })
}

/** Waits until the turn ends and returns its messages. Throws if the turn failed. */
async function awaitMessages(turn: Turn) {
  const { status, failure, messages } = await turn.outcome
  if (failure !== null) throw new AppError(failure.code, failure.message)
  if (status === 'interrupted') {
    throw new AppError('unavailable', 'The server is stopping; send the message again.', { retryAfterMs: 1000 })
  }
  return [...messages]
}
