import { CreateChatBody } from '@parley/contract/chat'
import { expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'

test('a chat keeps the markup that its provider had when it began', async () => {
  await using features = await wireFeatures()
  const { database, chats, addLlm, addAgent } = features
  const agentId = await addAgent(await addLlm())
  const setMarkup = (markup_percent: number) =>
    database.transaction((transaction) => transaction.updateTable('providers').set({ markup_percent }).execute())
  const createChat = async () => (await chats.create(1, CreateChatBody.parse({ agentId }))).chatId
  await setMarkup(12.5)
  const before = await createChat()
  await setMarkup(50)
  const after = await createChat()
  const usage = JSON.stringify([{ model: 'm', inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cost: 0.1 }])
  const turn = { status: 'completed', user_message_id: 'message_1', usage, explanation: '[]', event_count: 0 }
  const nothing = { idempotency_hash: null, error_code: null, error_message: null, first_text_ms: null, ended_at: null }
  await database.transaction(async (transaction) => {
    for (const chat_id of [before, after]) {
      const row = { turn_id: `turn_${chat_id}`, chat_id, position: 0, started_at: 0, ...turn, ...nothing }
      await transaction.insertInto('turns').values(row).execute()
    }
  })
  expect((await chats.get(1, before)).chatCost).toMatchObject({ total: 0.1125, items: [{ cost: 0.1 }] })
  expect((await chats.get(1, after)).chatCost).toMatchObject({ total: 0.15, items: [{ cost: 0.1 }] })
})
