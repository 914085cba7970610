import { expect, test } from 'vitest'
import type { CachedResponse } from '../kernel/api/implement.ts'
import { createReadCache } from '../kernel/storage/read-cache.ts'
import { createSharedClock } from '../kernel/work/shared-clock.ts'
import { registerAgentRoutes, registerChatAgentRoutes } from './agents/agent-routes.ts'
import { registerChatRoutes } from './chats/chat-routes.ts'
import { createConcurrencyService, registerConcurrencyRoutes } from './concurrency/concurrency-service.ts'
import { wireFeatures } from './features-test-kit.ts'
import { registerLlmRoutes } from './llms/llm-routes.ts'
import { disposeAll, openRoutes } from './route-test-kit.ts'
import { registerSigningSecretRoutes } from './signing-secrets/signing-secret-service.ts'
import { registerWorkspaceRoutes } from './workspaces/workspace-administration.ts'

async function openServer() {
  const features = await wireFeatures()
  const { database, time, makeId } = features
  const { clock } = time
  const routes = openRoutes({ database, clock, makeId }, (api) => {
    registerWorkspaceRoutes(api, features.workspaces)
    const answers = createReadCache<CachedResponse>({
      database,
      tables: ['resources', 'resource_versions'],
      maxCharacters: 1_000_000,
      countCharacters: ({ json }) => json.content.length,
    })
    registerLlmRoutes({ api, responses: answers }, features.llms)
    registerAgentRoutes({ api, responses: answers }, features.agents)
    registerChatAgentRoutes({ api, responses: answers }, features.chatAgents)
    registerChatRoutes(api, features.chats, features.completions)
    registerConcurrencyRoutes(api, createConcurrencyService({ database, clock: createSharedClock(clock) }))
    registerSigningSecretRoutes(api, features.signingSecrets)
  })
  return {
    ...features,
    send: routes.send,
    [Symbol.asyncDispose]: disposeAll(routes, features),
  }
}

test('creates, reads, updates, publishes and deletes an LLM', async () => {
  await using server = await openServer()
  const { send, addAgent, pin } = server
  const created = await send('POST /api/v1/llms', { workspaceId: 1, display_name: 'Desk' })
  expect(created).toMatchObject({ status: 201, etag: '"1"', body: { version: 1, warnings: [] } })
  const llmId = created.body.llm_id
  const path = `/api/llms/${llmId}`
  const edited = await send(
    `PATCH ${path}`,
    { workspaceId: 1, version: 1, general_prompt: 'Hi' },
    { 'if-match': '"1"' },
  )
  expect(edited).toMatchObject({ status: 200, etag: '"2"', body: { general_prompt: 'Hi', warnings: [] } })
  const stale = await send(`PATCH ${path}`, { workspaceId: 1, general_prompt: 'x' }, { 'if-match': '"1"' })
  expect(stale).toMatchObject({ status: 412, body: { code: 'version_conflict' } })
  const foreign = await send(`PATCH ${path}`, { workspaceId: 1, general_prompt: 'x' }, { 'if-match': 'abc' })
  expect(foreign.status).toBe(412)
  const twoVersions = await send(`PATCH ${path}?version=2`, { workspaceId: 1, version: 1 })
  expect(twoVersions).toMatchObject({ status: 400, body: { details: [{ path: 'version' }] } })

  const agentId = await addAgent(llmId)
  await pin(agentId)
  expect(await send(`GET ${path}?workspaceId=1`)).toMatchObject({ status: 200, etag: '"2"', body: { is_frozen: true } })
  expect(await send(`PATCH ${path}?version=1`, { workspaceId: 1, general_prompt: 'x' })).toMatchObject({
    status: 422,
    body: { code: 'version_frozen' },
  })
  const published = await send(`POST ${path}/publish`, { workspaceId: 1, title: 'Opening' })
  expect(published).toMatchObject({ status: 200, etag: '"3"', body: { is_published: true, version_title: 'Opening' } })
  const inUse = await send(`DELETE ${path}?workspaceId=1`)
  expect(inUse).toMatchObject({ status: 422, body: { code: 'in_use', details: [{ message: `used by ${agentId}` }] } })
  await send(`DELETE /api/agents/${agentId}?workspaceId=1`)
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"1"' })).status).toBe(412)
  expect(await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"3"' })).toMatchObject({
    status: 204,
    body: null,
  })
  expect((await send(`GET ${path}?workspaceId=1`)).status).toBe(404)
})

test.each([
  ['an agent', '/api/agents', 'agent', { voice_id: 'voice_builtin_kal' }],
  ['a chat agent', '/api/chat-agents', 'chat_agent', {}],
])('creates, reads, updates and deletes a %s', async (_kind, collection, idPrefix, voice) => {
  await using server = await openServer()
  const { send, addLlm, pin } = server
  const engine = { type: 'retell_llm', llm_id: await addLlm() }
  const created = await send(`POST ${collection}`, { workspaceId: 1, response_engine: engine, ...voice })
  expect(created).toMatchObject({ status: 201, etag: '"1"', body: { version: 1, warnings: [] } })
  expect(created.body.agent_id).toMatch(new RegExp(`^${idPrefix}_[0-9a-f]{26}$`))
  expect(created.body.response_engine).toEqual({ ...engine, version: null })
  const agentId = created.body.agent_id
  const path = `${collection}/${agentId}`
  await pin(agentId)
  expect(await send(`PATCH ${path}?version=1`, { workspaceId: 1, agent_name: 'x' })).toMatchObject({
    status: 422,
    body: { code: 'version_frozen' },
  })
  const next = await send(`PATCH ${path}`, { workspaceId: 1, agent_name: 'Two' }, { 'if-match': '"1"' })
  expect(next).toMatchObject({ status: 200, etag: '"2"', body: { version: 2 } })
  expect(await send(`POST ${path}/activate`, { workspaceId: 1, version: 1 })).toMatchObject({
    status: 200,
    etag: '"3"',
  })
  expect(await send(`GET ${path}?workspaceId=1`)).toMatchObject({ etag: '"3"', body: { version: 1, is_active: true } })
  expect((await send(`GET ${path}?workspaceId=1&version=latest`)).body).toMatchObject({ version: 2, is_active: false })
  expect((await send(`GET ${path}?workspaceId=1&version=9`)).status).toBe(404)
  expect((await send(`GET ${path}?workspaceId=1&version=newest`)).status).toBe(400)
  expect((await send(`GET ${path}?workspaceId=2`)).status).toBe(404)
  expect(await send(`POST ${path}/publish`, { workspaceId: 1 })).toMatchObject({ etag: '"4"', body: { version: 2 } })
  expect((await send(`POST ${path}/activate`, { workspaceId: 1, version: 9 })).status).toBe(404)
  expect(await send(`POST ${path}/activate`, { workspaceId: 1, version: null })).toMatchObject({
    etag: '"5"',
    body: { version: 2, is_active: true },
  })
  expect((await send(`PATCH ${path}`, { workspaceId: 1, agent_name: 'x' }, { 'if-match': '"4"' })).status).toBe(412)
  expect((await send(`GET ${collection}?workspaceId=1`)).body).toMatchObject([{ agent_id: agentId, version: 2 }])
  expect((await send(`GET ${collection}?workspaceId=2`)).body).toEqual([])

  const newest = await send(`GET ${path}/versions?workspaceId=1&limit=1`)
  expect(newest).toMatchObject({ nextVersion: '2', body: [{ version: 2 }] })
  const older = await send(`GET ${path}/versions?workspaceId=1&limit=1&paginationKey=${newest.next}`)
  expect(older.body).toMatchObject([{ version: 1 }])
  expect(older.next).toBeUndefined()
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"5"' })).status).toBe(204)
  expect((await send(`GET ${path}/versions?workspaceId=1`)).status).toBe(404)
})

test.each([
  ['llm', 'llm_id', 'no LLM "x"'],
  ['conversation-flow', 'conversation_flow_id', 'no conversation flow "x"'],
])('requires an existing engine of type %s with that version', async (type, field, message) => {
  await using server = await openServer()
  const { send, addLlm, addFlow } = server
  const engineId = type === 'llm' ? await addLlm() : await addFlow()
  const create = async (engine: object, rest: object = {}, workspaceId = 1) => {
    const { status, body } = await send('POST /api/agents', { workspaceId, response_engine: engine, ...rest })
    return [status, body.details]
  }
  const voice = { voice_id: 'voice_builtin_kal' }
  const unknown = [{ path: `response_engine.${field}`, message: expect.stringContaining(message) }]
  expect(await create({ type, [field]: 'x' }, voice)).toEqual([400, unknown])
  expect((await create({ type, [field]: engineId }, voice, 2))[1]).toMatchObject([{ path: `response_engine.${field}` }])
  const version = [{ path: 'response_engine.version', message: expect.stringContaining('has no version 2') }]
  expect(await create({ type, [field]: engineId, version: 2 }, voice)).toEqual([400, version])
  expect(await create({ type, [field]: 'x' }, { voice_id: 'voice_x' })).toEqual([
    400,
    [expect.objectContaining({ path: 'voice_id' }), ...unknown],
  ])

  const engine = { type, [field]: engineId, version: 1 }
  const createdChatAgent = await send('POST /api/chat-agents', { workspaceId: 1, response_engine: engine })
  expect(createdChatAgent).toMatchObject({ status: 201, body: { response_engine: engine } })
  const patched = await send(`PATCH /api/chat-agents/${createdChatAgent.body.agent_id}`, {
    workspaceId: 1,
    response_engine: { type, [field]: engineId, version: 7 },
  })
  expect(patched).toMatchObject({ status: 400, body: { details: [{ path: 'response_engine.version' }] } })
})

test('a chat agent has an engine and settings, but no voice', async () => {
  await using server = await openServer()
  const { send, addLlm } = server
  expect((await send('POST /api/chat-agents', { workspaceId: 1 })).body.details).toMatchObject([
    { path: 'response_engine' },
  ])
  const engine = { type: 'llm', llm_id: await addLlm() }
  const body = { workspaceId: 1, response_engine: engine, agent_name: 'Desk', voice_id: 'voice_x' }
  const created = await send('POST /api/chat-agents', body)
  expect(created.headers['x-ignored-fields']).toBe('voice_id')
  const agentId = created.body.agent_id
  const cleared = await send(`PATCH /api/chat-agents/${agentId}`, { workspaceId: 1, agentName: null, language: 'de' })
  expect(cleared.body).toEqual({
    agent_id: agentId,
    workspaceId: 1,
    version: 1,
    agent_name: '',
    response_engine: { ...engine, version: null },
    language: 'de',
    timezone: 'UTC',
    fallback_models: [],
    fallback_message: null,
    webhook_url: null,
    webhook_events: ['chat_started', 'chat_ended', 'chat_analyzed'],
    webhook_timeout_ms: 10_000,
    data_storage_setting: 'everything',
    data_storage_retention_days: null,
    pii_config: null,
    end_chat_after_silence_ms: 3_600_000,
    auto_close_message: null,
    post_chat_analysis_data: ['chat_summary', 'chat_successful', 'user_sentiment'].map((name) => {
      return { type: 'system-presets', name }
    }),
    post_chat_analysis_model: null,
    is_published: false,
    is_frozen: false,
    is_active: true,
    version_title: null,
    version_description: null,
    created_at: '2026-01-05T12:00:00.000Z',
    updated_at: '2026-01-05T12:00:00.000Z',
    warnings: [],
  })
  expect((await send(`GET /api/agents/${agentId}?workspaceId=1`)).status).toBe(404)
})

test('keeps every type of custom analysis as given', async () => {
  await using server = await openServer()
  const { send, addLlm } = server
  const items = [
    { type: 'enum', name: 'product', description: 'What', choices: ['croissant', 'loaf'] },
    { type: 'string', name: 'street', description: 'Where', examples: ['Mill Lane'] },
    { type: 'boolean', name: 'paid', description: 'Paid', required: true },
    { type: 'number', name: 'pieces', description: 'How many', conditional_prompt: 'Something was ordered' },
    { type: 'system-presets', name: 'user_sentiment' },
  ]
  const engine = { type: 'llm', llm_id: await addLlm() }
  const body = { workspaceId: 1, response_engine: engine, postChatAnalysisData: items }
  const created = await send('POST /api/chat-agents', body)
  expect(created).toMatchObject({ status: 201, body: { post_chat_analysis_data: items } })
  expect(created.headers['x-ignored-fields']).toBeUndefined()
})

test('a chat uses an agent of either kind', async () => {
  await using server = await openServer()
  const { send, addLlm, addAgent, addChatAgent } = server
  const llmId = await addLlm({ begin_message: 'Hello!', general_prompt: 'We are open from 9:00 to 17:00 on Monday.' })
  const agentIds = [
    await addAgent(llmId, { agent_name: 'Voiced' }),
    await addChatAgent(llmId, { agent_name: 'Written' }),
  ]
  for (const agentId of agentIds) {
    const chat = await send('POST /api/chats', { workspaceId: 1, agentId })
    expect(chat).toMatchObject({ status: 201, body: { agentId, version: 1, messages: [{ content: 'Hello!' }] } })
    const question = { workspaceId: 1, content: 'When are you open on Monday?' }
    const answer = await send(`POST /api/chats/${chat.body.chatId}/completions`, question)
    expect(answer).toMatchObject({ status: 201, body: { messages: [{ content: expect.stringContaining('9:00') }] } })
    const listed = await send(`GET /api/chats?workspaceId=1&agentId=${agentId}`)
    expect(listed.body).toMatchObject([{ chatId: chat.body.chatId, agentId }])
    expect((await send(`GET /api/chats?workspaceId=2&agentId=${agentId}`)).body).toEqual([])
    const unknownVersion = await send('POST /api/chats', { workspaceId: 1, agentId, agentVersion: 9 })
    expect(unknownVersion).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await send('POST /api/chats', { workspaceId: 2, agentId })).status).toBe(404)
  }
})

test('deleting an agent of either kind completes its chats and removes it from LLM drafts, but not from frozen versions', async () => {
  await using server = await openServer()
  const { send, addLlm, addAgent, addChatAgent, startChat } = server
  const home = await addLlm()
  for (const [collection, missingId] of [
    ['agents', await addAgent(home)],
    ['chat-agents', await addChatAgent(home)],
  ]) {
    const swap = (name: string, agent_id = missingId) => ({ type: 'agent_swap', name, agent_id })
    const general_tools = [swap('a'), swap('b', 'agent_other'), { type: 'end_call', name: 'bye' }]
    const draft = await addLlm({ general_tools })
    const used = await addLlm({ general_tools })
    await startChat(await addAgent(used))
    const { chatId } = await startChat(`${missingId}`)

    expect((await send(`DELETE /api/${collection}/${missingId}?workspaceId=1`)).status).toBe(204)
    const read = (path: string) => send(`GET ${path}?workspaceId=1`)
    expect(await read(`/api/llms/${draft}`)).toMatchObject({
      etag: '"2"',
      body: { version: 1, general_tools: general_tools.slice(1) },
    })
    expect(await read(`/api/llms/${used}`)).toMatchObject({ etag: '"1"', body: { version: 1, general_tools } })
    expect((await read(`/api/chats/${chatId}`)).body).toMatchObject({ status: 'completed', agentId: missingId })
    expect((await send('POST /api/chats', { workspaceId: 1, agentId: missingId })).status).toBe(404)
  }
  expect((await send(`DELETE /api/llms/${home}?workspaceId=1`)).status).toBe(204)
})

test("lists page with the previous response's key", async () => {
  await using server = await openServer()
  const { send, addLlm, addAgent, time } = server
  const llmId = await addLlm()
  await time.advance(1)
  const newestId = await addLlm()
  const first = await send('GET /api/v1/llms?workspaceId=1&limit=1')
  expect(first).toMatchObject({ nextVersion: '1', body: [{ llm_id: newestId }] })
  expect((await send(`GET /api/v1/llms?workspaceId=1&limit=1&paginationKey=${first.next}`)).body).toMatchObject([
    { llm_id: llmId },
  ])
  expect((await send('GET /api/v1/llms?workspaceId=1&paginationKey=nonsense')).status).toBe(400)
  const agentId = await addAgent(llmId)
  expect((await send('GET /api/v1/agents?workspaceId=1')).body).toMatchObject([{ agent_id: agentId }])
  expect((await send(`GET /api/llms/${llmId}/versions?workspaceId=1`)).body).toMatchObject([{ version: 1 }])
})

test('serves workspaces, concurrency and the signing secret', async () => {
  await using server = await openServer()
  const { send } = server
  const { body } = await send('GET /api/workspaces')
  expect(body.workspaces).toMatchObject([{ id: 1, name: 'First' }, { id: 2 }])
  expect((await send('GET /api/concurrency?workspaceId=1')).body).toEqual({
    maxConcurrent: 20,
    currentUsage: 0,
    purchasedConcurrency: 0,
    concurrencyPurchaseLimit: 100,
  })
  const before = (await send('GET /api/signing-secret?workspaceId=1')).body.secrets
  expect(before).toHaveLength(1)
  const rotated = await send('POST /api/signing-secret/rotate', { workspaceId: 1 })
  expect(rotated).toMatchObject({ status: 200, body: { secrets: [{ expiresAt: null }, { secret: before[0].secret }] } })
})
