import { CreateChatBody } from '@parley/contract/chat'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createInterruptedDatabase } from '../../../../../testing/interrupted-database.ts'
import { createChatRow } from '../../../../../testing/seed-chats.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { MessageRow } from '../../tables/chat-tables.ts'
import { wireFeatures } from '../features-test-kit.ts'
import { openEndings } from '../post-processing/chats/chat-lifecycle-test-kit.ts'
import { computeChatCost } from './chat-cost.ts'
import { NOOP_CHAT_EVENTS } from './chat-events.ts'
import { createChatService } from './chat-service.ts'
import { readHistory, toSummary } from './chat-store.ts'
import { toHistory } from './turn/turn-context.ts'

const anyMessage = fc.constantFrom<Partial<MessageRow>>(
  { role: 'user' },
  { role: 'assistant' },
  { role: 'assistant', incomplete: 1 },
  { role: 'system' },
  { role: 'system', name: 'node_transition' },
)

test('the newest messages match the end of the full history', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  let chatCount = 0
  const anyChat = fc.tuple(fc.array(anyMessage, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 6 }))
  await fc.assert(
    fc.asyncProperty(anyChat, async ([messages, limit]) => {
      chatCount += 1
      const chat_id = `chat_${chatCount}`
      const rows = messages.map((message, position) => ({ ...buildPlainMessage(chat_id, position), ...message }))
      await database.batch([
        { query: database.queryBuilder.insertInto('chats').values(createChatRow({ chat_id })).compile() },
        { query: database.queryBuilder.insertInto('messages').values(rows).compile() },
      ])
      const fullHistory = toHistory(rows, false)
      const history = await readHistory(database.read, chat_id, limit)
      const newestHistory = toHistory(history.messages, false)
      expect(newestHistory).toEqual(fullHistory.slice(fullHistory.length - newestHistory.length))
      if (newestHistory.length > 0) expect(history.omittedCount).toBe(fullHistory.length - newestHistory.length)
    }),
    { numRuns: 60 },
  )
})

function buildPlainMessage(chat_id: string, position: number): MessageRow {
  const message_id = `${chat_id}_${position}`
  const messageDefaults = {
    content: `message ${position}`,
    name: '',
    tool_calls: '[]',
    tool_call_id: null,
    incomplete: 0,
  } as const
  return { ...messageDefaults, message_id, chat_id, position, turn_id: null, role: 'user', created_at: 0 }
}

test.each([
  [[], null],
  [[null, 900, 100, 400], 400],
  [[100, 900], 100],
])('turns with first texts after %j ms have the median %j', (times, latencyP50Ms) => {
  const turns = times.map((ms) => ({ usage: '[]', first_text_ms: ms }))
  expect(toSummary(createChatRow({ chat_id: 'chat_1' }), turns)).toMatchObject({ latencyP50Ms })
})

test("a chat keeps the reseller's markup from its start", async () => {
  await using features = await wireFeatures()
  const { database, chats, addLlm, addAgent } = features
  const agentId = await addAgent(await addLlm())
  const setMarkup = (markup_percent: number) =>
    database.transaction((transaction) => transaction.updateTable('providers').set({ markup_percent }).execute())
  const createChat = async () => (await chats.create(1, CreateChatBody.parse({ agentId }))).chatId
  await setMarkup(12.5)
  const earlierChatId = await createChat()
  await setMarkup(50)
  const laterChatId = await createChat()
  const usage = JSON.stringify([{ model: 'm', inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cost: 0.1 }])
  const turn = { status: 'completed', user_message_id: 'message_1', usage, explanation: '[]', event_count: 0 }
  const unset = { idempotency_hash: null, error_code: null, error_message: null, first_text_ms: null, ended_at: null }
  await database.transaction(async (transaction) => {
    for (const chat_id of [earlierChatId, laterChatId]) {
      const row = { turn_id: `turn_${chat_id}`, chat_id, position: 0, started_at: 0, ...turn, ...unset }
      await transaction.insertInto('turns').values(row).execute()
    }
  })
  expect((await chats.get(1, earlierChatId)).chatCost).toMatchObject({ total: 0.1125, items: [{ cost: 0.1 }] })
  expect((await chats.get(1, laterChatId)).chatCost).toMatchObject({ total: 0.15, items: [{ cost: 0.1 }] })
})

const throwUnused = (): never => {
  throw new Error('This port is unused.')
}

test('a concurrent decision never relaxes the storage policy of a chat', async () => {
  await using kit = await openEndings()
  await kit.addChat('chat_1', 'agent_1')
  const tightenStorage = (database: Database, setting: 'everything_except_pii' | 'basic_attributes_only') =>
    createChatService({
      database,
      clock: kit.processClock,
      makeId: throwUnused,
      agents: { pin: throwUnused, load: throwUnused, preview: throwUnused },
      completions: { cancel: throwUnused, cancelAll: throwUnused, listActiveChatIds: throwUnused },
      events: { ...NOOP_CHAT_EVENTS, ...kit.lifecycle },
    }).update(1, 'chat_1', { data_storage_setting: setting })
  const { database, beforeNextWrite } = createInterruptedDatabase(kit.database)
  beforeNextWrite(() => tightenStorage(kit.database, 'basic_attributes_only'))
  await expect(tightenStorage(database, 'everything_except_pii')).rejects.toMatchObject({ code: 'invalid_request' })
  const { storage } = (await kit.read('chat_1')) ?? {}
  expect(JSON.parse(storage ?? '')).toMatchObject({ setting: 'basic_attributes_only' })
})

const toUsage = (model: string, cost: number | null) => ({
  model,
  inputTokens: 10,
  outputTokens: 5,
  cachedInputTokens: 2,
  cost,
})
const toTurn = (...items: ReturnType<typeof toUsage>[]) => ({ usage: JSON.stringify(items) })

describe('chatCost', () => {
  test('a chat without usage costs nothing', () => {
    expect(computeChatCost([{ usage: '[]' }], 20)).toEqual({ total: 0, currency: 'USD', items: [] })
  })

  test('sums costs by model, rounded to six decimals', () => {
    expect(computeChatCost([toTurn(toUsage('a', 0.1), toUsage('b', 0.000001)), toTurn(toUsage('a', 0.2))], 0)).toEqual({
      total: 0.300001,
      currency: 'USD',
      items: [
        { product: 'llm', model: 'a', inputTokens: 20, outputTokens: 10, cachedInputTokens: 4, cost: 0.3 },
        { product: 'llm', model: 'b', inputTokens: 10, outputTokens: 5, cachedInputTokens: 2, cost: 0.000001 },
      ],
    })
  })

  test('an unknown price makes the total unknown', () => {
    expect(computeChatCost([toTurn(toUsage('a', 0.1), toUsage('b', null))], 0).total).toBeNull()
  })

  test("adds the reseller's markup only to the total", () => {
    const { total, items } = computeChatCost([toTurn(toUsage('a', 0.1), toUsage('b', 0.05))], 12.5)
    expect(total).toBe(0.16875)
    expect(items.map(({ cost }) => cost)).toEqual([0.1, 0.05])
    expect(computeChatCost([toTurn(toUsage('a', null))], 12.5).total).toBeNull()
  })
})
