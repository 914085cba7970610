import { expect, test as plainTest } from 'vitest'
import { startMcpServer } from '../../testing/mcp-server/mcp-server.ts'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { seedCalls } from '../../testing/seed-calls.ts'
import { SEEDED_RECORDING, seedRecording } from '../../testing/seed-recording.ts'
import { withStoppedServer } from '../../testing/server-database.ts'
import { startVoiceServer, VOICE_KEY } from '../../testing/voice-server/voice-server.ts'
import { makePeople, type People, type TenancyIds } from './access-people.ts'
import type { KnownIds } from './known-ids.ts'
import { OWNER_LOGIN } from './valid-account-bodies.ts'
import { addVoice, makeIds, unknownId } from './valid-request-parts.ts'

/** Text in all resources of workspace 1, its tenant and its provider. Lowercase, as in email addresses. */
export const MARKER = 'confidential-4711'

/** An installation with two resellers, three tenants, four workspaces and people of every role. */
export interface Scene {
  readonly server: RunningServer
  readonly tenancy: TenancyIds
  readonly people: People
  /** Ids of workspace 1, whose texts all contain the marker. */
  readonly owned: KnownIds
  /** Ids of workspace 2, which has the same tenant. */
  readonly second: KnownIds
  /** Ids of workspace 3, whose tenant has the same provider. */
  readonly third: KnownIds
  /** Ids of workspace 4, under the other provider. */
  readonly fourth: KnownIds
  /** Ids of an otherwise unused workspace of the first tenant. */
  readonly spare: KnownIds
}

/** Runs tests against one scene per file: `test('…', async ({ scene }) => …)`. */
export const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('voices', { scope: 'file' }, async ({}, { onCleanup }) => {
    const voices = await startVoiceServer()
    onCleanup(() => voices.close())
    return voices
  })
  // biome-ignore lint/correctness/noEmptyPattern: see above
  .extend('models', { scope: 'file' }, async ({}, { onCleanup }) => {
    const models = await startModelServer()
    onCleanup(() => models.close())
    return models
  })
  // biome-ignore lint/correctness/noEmptyPattern: see above
  .extend('mcp', { scope: 'file' }, async ({}, { onCleanup }) => {
    const mcp = await startMcpServer()
    onCleanup(() => mcp.close())
    return mcp
  })
  // Caches a failure too, so that the tests of the file do not build the scene again.
  .extend('built', { scope: 'file' }, async ({ voices, models, mcp }, { onCleanup }) => {
    const env = {
      BOOTSTRAP_EMAIL: OWNER_LOGIN.email,
      BOOTSTRAP_PASSWORD: OWNER_LOGIN.password,
      ELEVENLABS_API_KEY: VOICE_KEY,
      ELEVENLABS_BASE_URL: voices.url,
      OPENAI_BASE_URL: `${models.url}/v1`,
      ALLOW_PRIVATE_TARGETS: `127.0.0.1:${mcp.port}`,
    }
    const build = async (): Promise<Scene> => {
      const server = await runServer({ env })
      onCleanup(() => server[Symbol.asyncDispose]())
      return await buildScene(server, mcp.url)
    }
    const [built] = await Promise.allSettled([build()])
    return built
  })
  .extend('scene', { scope: 'file' }, ({ built }): Scene => {
    if (built.status === 'rejected') throw built.reason
    return built.value
  })

async function buildScene(server: RunningServer, mcpUrl: string): Promise<Scene> {
  const tenancy = await createTenancy(server)
  const calls = await seedCallPerWorkspace(server, tenancy)
  const people = await makePeople(server, tenancy)
  const idsOf = async (workspaceId: number, mark: string): Promise<KnownIds> => {
    const { values } = await makeIds(server, workspaceId, { mark, mcpUrl })
    const callId = calls.get(workspaceId) ?? ''
    return { workspaceId, values: { ...values, callId, liveCallId: callId, sessionId: people.owner.sessionId } }
  }
  const owned = await idsOf(tenancy.w1, MARKER)
  const voiceId = await addVoice(server, tenancy.w1, MARKER)
  return {
    server,
    tenancy,
    people,
    owned: { ...owned, values: { ...owned.values, voiceId, addedVoiceId: voiceId } },
    second: await idsOf(tenancy.w2, 'second'),
    third: await idsOf(tenancy.w3, 'third'),
    fourth: await idsOf(tenancy.w4, 'fourth'),
    spare: await idsOf(tenancy.spare, 'spare'),
  }
}

/** Sends JSON as the owner and expects success. */
async function send<Body>(server: RunningServer, method: string, path: string, body?: object): Promise<Body> {
  const answer = await server.call<Body>(method, path, { ...(body !== undefined && { body }) })
  expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

async function createTenancy(server: RunningServer): Promise<TenancyIds> {
  const w1 = server.workspaceId
  const { accountSid: t1 } = await send<{ accountSid: string }>(server, 'GET', `/api/workspaces/${w1}`)
  const { providerId: p1 } = await send<{ providerId: string }>(server, 'GET', `/api/tenants/${t1}`)
  await send(server, 'PATCH', `/api/workspaces/${w1}`, { name: MARKER })
  await send(server, 'PATCH', `/api/tenants/${t1}`, { name: MARKER })
  await send(server, 'PATCH', `/api/providers/${p1}`, { name: MARKER })
  await send(server, 'PATCH', '/api/branding', { tenantId: t1, productName: 'First' })
  const { providerId: p2 } = await send<{ providerId: string }>(server, 'POST', '/api/providers', { name: 'Other' })
  const makeTenant = async (providerId: string, name: string): Promise<string> =>
    (await send<{ tenantId: string }>(server, 'POST', '/api/tenants', { providerId, name })).tenantId
  const t2 = await makeTenant(p1, 'Second')
  const t3 = await makeTenant(p2, 'Third')
  const makeWorkspace = async (tenantId: string, name: string): Promise<number> =>
    (await send<{ id: number }>(server, 'POST', '/api/workspaces', { tenantId, name })).id
  const w2 = await makeWorkspace(t1, 'Second')
  const w3 = await makeWorkspace(t2, 'Third')
  const w4 = await makeWorkspace(t3, 'Fourth')
  const spare = await makeWorkspace(t1, 'Spare')
  return { p1, p2, t1, t2, t3, w1, w2, w3, w4, spare }
}

/** Adds a phone call to each workspace in the database, since the API cannot create one. */
async function seedCallPerWorkspace(server: RunningServer, tenancy: TenancyIds): Promise<ReadonlyMap<number, string>> {
  const { w1, w2, w3, w4, spare } = tenancy
  const calls = new Map([w1, w2, w3, w4, spare].map((id) => [id, unknownId('call').slice(0, -1) + String(id % 10)]))
  const now = Date.now()
  const rows = [...calls].map(([workspace_id, call_id]) => {
    const words = workspace_id === w1 ? MARKER : 'something'
    const texts = { agent_name: words, customer_name: words, summary: words, transcript: `User: ${words}` }
    const metadata = JSON.stringify({ words })
    return { call_id, workspace_id, created_at: now, ...texts, metadata, recording: SEEDED_RECORDING }
  })
  await Promise.all(rows.map(({ call_id }) => seedRecording(server, call_id)))
  await withStoppedServer(server, (database) => seedCalls(database, rows))
  return calls
}
