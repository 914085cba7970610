import type { DataStorageSetting } from '@parley/contract/after-conversation'
import { createChatRow } from '../../../../../../testing/seed-chats.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { ChatRow, MessageRow, TurnRow } from '../../../tables/chat-tables.ts'
import type { PinnedAgent } from '../../agents/pinned-agent.ts'
import { openPostProcessingScenario } from '../post-processing-test-kit.ts'
import { createChatLifecycle } from './chat-lifecycle.ts'
import { processDueChats } from './due-chats.ts'
import { createFinalizeHandler } from './finalize-chat.ts'

/** A message in tests: role, content, and tool calls by name and arguments. */
export type TestMessage = readonly [role: string, content: string, more?: Partial<MessageRow>]

/** Opens chats in a real database, with named agents and models, virtual time and recorded webhooks. */
export async function openEndings() {
  const scenario = await openPostProcessingScenario()
  const { database, clock, jobs } = scenario
  const lifecycle = createChatLifecycle({ database, clock, jobs })
  const dependencies = { ...scenario, lifecycle }
  const handler = createFinalizeHandler(dependencies)
  const chatReaders = createChatReaders(database, clock.now, lifecycle, scenario.pinned)
  /** Runs the chat's job as the worker does. */
  const finalize = (chatId: string, attempt = 1) => {
    const job = { jobId: 'job_1', kind: 'chat-ended', payload: { chatId }, attempt, maxAttempts: 10 }
    return handler.run(job, new AbortController().signal)
  }
  return {
    ...dependencies,
    ...chatReaders,
    finalize,
    async endAndFinalize(chatId: string) {
      await chatReaders.end(chatId)
      await finalize(chatId)
    },
    handler,
    processDue: () => processDueChats(dependencies),
    endJobs: () => scenario.jobsOf('chat-ended'),
  }
}

function createChatReaders(
  database: Database,
  now: () => number,
  lifecycle: ReturnType<typeof createChatLifecycle>,
  pinned: ReadonlyMap<string, PinnedAgent>,
) {
  const read = async (chatId: string): Promise<ChatRow | undefined> =>
    await database.read.selectFrom('chats').selectAll().where('chat_id', '=', chatId).executeTakeFirst()
  return {
    read,
    messagesOf: (chatId: string): Promise<MessageRow[]> =>
      database.read.selectFrom('messages').selectAll().where('chat_id', '=', chatId).orderBy('position').execute(),
    turnsOf: (chatId: string): Promise<TurnRow[]> =>
      database.read.selectFrom('turns').selectAll().where('chat_id', '=', chatId).orderBy('position').execute(),
    /** Adds an ongoing chat of an agent with these messages. */
    async addChat(chatId: string, agentId: string, lines: readonly TestMessage[] = [], more: Partial<ChatRow> = {}) {
      const agent = pinned.get(agentId)
      const columns = agent === undefined ? {} : lifecycle.getInitialColumns(agent.postProcessing, now())
      const chat = createChatRow({
        chat_id: chatId,
        agent_id: agentId,
        agent_name: agentId,
        state: '{"schema":1}',
        message_count: lines.length,
        turn_count: 1,
        started_at: now(),
        updated_at: now(),
        ...columns,
        ...more,
      })
      const messages = lines.map((line, position) => buildMessage(chatId, position, line, now()))
      await database.transaction(async (transaction) => {
        await transaction.insertInto('chats').values(chat).execute()
        if (messages.length > 0) await transaction.insertInto('messages').values(messages).execute()
        await transaction.insertInto('turns').values(buildTurn(chatId, now())).execute()
      })
    },
    /** Simulates the features that end chats. */
    async end(chatId: string, reason: 'request' | 'agent' | 'agent_deleted' = 'request') {
      const columns = { status: 'completed', ended_at: now(), updated_at: now() }
      const query = database.queryBuilder.updateTable('chats').set(columns).where('chat_id', '=', chatId)
      await database.batch([
        { query: query.compile() },
        ...lifecycle.onEnded({ chat_id: chatId, workspace_id: 1 }, reason),
      ])
    },
    async tightenStorage(chatId: string, setting: DataStorageSetting) {
      const chat = await read(chatId)
      if (chat !== undefined) await database.batch(lifecycle.tightenStorage(chat, setting))
    },
    async change(chatId: string, columns: Partial<ChatRow>) {
      const query = database.queryBuilder.updateTable('chats').set(columns).where('chat_id', '=', chatId)
      await database.batch([{ query: query.compile() }])
    },
  }
}

function buildMessage(
  chatId: string,
  position: number,
  [role, content, more = {}]: TestMessage,
  now: number,
): MessageRow {
  return {
    message_id: `message_${chatId}_${position}`,
    chat_id: chatId,
    position,
    turn_id: null,
    role,
    content,
    name: '',
    tool_calls: '[]',
    tool_call_id: null,
    incomplete: 0,
    created_at: now,
    ...more,
  }
}

function buildTurn(chatId: string, now: number): TurnRow {
  return {
    turn_id: `turn_${chatId}`,
    chat_id: chatId,
    position: 0,
    status: 'completed',
    user_message_id: '',
    idempotency_hash: null,
    error_code: null,
    error_message: null,
    usage: '[]',
    explanation: JSON.stringify([{ type: 'flow-decision', rationale: 'The user, ana@example.com, agreed.' }]),
    first_text_ms: null,
    event_count: 0,
    state: '{"schema":1}',
    node_id: null,
    started_at: now,
    ended_at: now,
  }
}

/** Builds a tool call as messages store it. */
export function buildToolCall(name: string, args: object): Pick<MessageRow, 'tool_calls'> {
  const call = { id: 'tool_call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }
  return { tool_calls: JSON.stringify([call]) }
}
