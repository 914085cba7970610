import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { createChatRow, createTurnRow } from '../../../../../testing/seed-chats.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { createModelList, registerModelRoutes } from './model-list.ts'

const PRICE = { input: 2, cachedInput: 0.5, output: 8 }

const CATALOG = {
  listConfigured: () => ['offline', 'openai/*'],
  defaultModel: 'gpt-4.1',
  resolve: (name: string) => ({ name: `openai/${name}` }),
}

async function openModels() {
  const database = await temporaryDatabase()
  await seedWorkspaces(database, [1, 2])
  const prices = {
    models: ['openai/gpt-4.1', 'anthropic/claude-opus-4-5'],
    getPrice: (model: string) => (model === 'local/llama' ? null : PRICE),
  }
  const models = createModelList({ database, models: { forWorkspace: async () => CATALOG }, prices })
  const makeId = (prefix: string) => `${prefix}_x`
  const routes = openRoutes({ database, clock: createManualClock().clock, makeId }, (api) =>
    registerModelRoutes(api, models),
  )
  return { ...routes, database, [Symbol.asyncDispose]: disposeAll(routes, database) }
}

const spend = (...models: readonly string[]): string => JSON.stringify(models.map((model) => ({ model, cost: null })))

test('lists models with their prices and the median latency of the workspace', async () => {
  await using server = await openModels()
  await server.database.transaction(async (transaction) => {
    const chats = [createChatRow({ chat_id: 'chat_1' }), createChatRow({ chat_id: 'chat_2', workspace_id: 2 })]
    await transaction.insertInto('chats').values(chats).execute()
    const turns = [
      { chat_id: 'chat_1', first_text_ms: 900, usage: spend('openai/gpt-4.1', 'openai/gpt-4.1') },
      { chat_id: 'chat_1', first_text_ms: 300, usage: spend('openai/gpt-4.1') },
      { chat_id: 'chat_1', first_text_ms: 500, usage: spend('openai/gpt-4.1') },
      { chat_id: 'chat_1', first_text_ms: 7, usage: spend('offline', 'openai/gpt-4.1') },
      { chat_id: 'chat_1', first_text_ms: 40, usage: spend('local/llama') },
      { chat_id: 'chat_1', first_text_ms: null, usage: spend('anthropic/claude-opus-4-5') },
      { chat_id: 'chat_2', first_text_ms: 1, usage: spend('anthropic/claude-opus-4-5') },
    ]
    await transaction
      .insertInto('turns')
      .values(turns.map((turn, position) => createTurnRow({ ...turn, position, turn_id: `turn_${position}` })))
      .execute()
  })
  const { status, body } = await server.send('GET /api/models?workspaceId=1')
  expect(status).toBe(200)
  const unused = { default: false, pricing: PRICE, latencyP50Ms: null }
  expect(body).toEqual([
    { ...unused, model: 'offline', provider: 'offline', available: true },
    { ...unused, model: 'openai/gpt-4.1', provider: 'openai', available: true, default: true, latencyP50Ms: 500 },
    { ...unused, model: 'anthropic/claude-opus-4-5', provider: 'anthropic', available: false },
    { ...unused, model: 'local/llama', provider: 'local', available: false, pricing: null, latencyP50Ms: 40 },
  ])
})
