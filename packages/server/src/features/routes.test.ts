import { expect, test } from 'vitest'
import type { KeptAnswer } from '../http/implement.ts'
import { createReadCache } from '../kernel/read-cache.ts'
import { registerAgentRoutes } from './agents/agent-routes.ts'
import { registerConcurrencyRoutes } from './concurrency/concurrency-routes.ts'
import { createConcurrencyService } from './concurrency/concurrency-service.ts'
import { wireFeatures } from './features-test-kit.ts'
import { registerLlmRoutes } from './llms/llm-routes.ts'
import { openRoutes } from './route-test-kit.ts'
import { registerSigningSecretRoutes } from './signing-secrets/signing-secret-routes.ts'
import { registerVoiceRoutes } from './voices/voice-routes.ts'
import { createVoiceService } from './voices/voice-service.ts'
import { registerWorkspaceRoutes } from './workspaces/workspace-routes.ts'

async function openServer() {
  const features = await wireFeatures()
  const { database, time, makeId } = features
  const { clock } = time
  const routes = openRoutes({ database, clock, makeId }, (api) => {
    registerWorkspaceRoutes(api, features.workspaces)
    const answers = createReadCache<KeptAnswer>({
      database,
      tables: ['resources', 'resource_versions'],
      maxCharacters: 1_000_000,
      charactersOf: ({ json }) => json.content.length,
    })
    registerLlmRoutes(api, features.llms, answers)
    registerAgentRoutes(api, features.agents, answers)
    registerVoiceRoutes(api, createVoiceService())
    registerConcurrencyRoutes(api, createConcurrencyService({ database, clock }))
    registerSigningSecretRoutes(api, features.signingSecrets)
  })
  return {
    ...features,
    send: routes.send,
    async [Symbol.asyncDispose]() {
      await routes[Symbol.asyncDispose]()
      await features[Symbol.asyncDispose]()
    },
  }
}

test('an LLM from creation to deletion', async () => {
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

test('an agent from creation to deletion', async () => {
  await using server = await openServer()
  const { send, addLlm, pin } = server
  const engine = { type: 'retell_llm', llm_id: await addLlm() }
  const created = await send('POST /api/agents', {
    workspaceId: 1,
    response_engine: engine,
    voice_id: 'voice_builtin_kal',
  })
  expect(created).toMatchObject({ status: 201, etag: '"1"' })
  expect(created.body.response_engine).toEqual({ ...engine, version: null })
  const agentId = created.body.agent_id
  const path = `/api/agents/${agentId}`
  await pin(agentId)
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
  const unknownVoice = await send(`PATCH ${path}`, { workspaceId: 1, voice_id: 'voice_x' })
  expect(unknownVoice).toMatchObject({ status: 400, body: { details: [{ path: 'voice_id' }] } })

  const newest = await send(`GET ${path}/versions?workspaceId=1&limit=1`)
  expect(newest).toMatchObject({ nextVersion: '2', body: [{ version: 2 }] })
  const older = await send(`GET ${path}/versions?workspaceId=1&limit=1&paginationKey=${newest.next}`)
  expect(older.body).toMatchObject([{ version: 1 }])
  expect(older.next).toBeUndefined()
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"5"' })).status).toBe(204)
  expect((await send(`GET ${path}/versions?workspaceId=1`)).status).toBe(404)
})

test('lists page with the key of the answer before', async () => {
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
  expect((await send('GET /api/voices?workspaceId=1')).body).toHaveLength(4)
  expect((await send(`GET /api/llms/${llmId}/versions?workspaceId=1`)).body).toMatchObject([{ version: 1 }])
})

test('workspaces, concurrency and the signing secret', async () => {
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
