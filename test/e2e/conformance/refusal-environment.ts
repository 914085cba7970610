import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { ApiResponse } from '../../../testing/api-client.ts'
import { type ModelServer, startModelServer } from '../../../testing/model-server/model-server.ts'
import { type RunningServer, runServer } from '../../../testing/running-server.ts'
import { execute, withStoppedServer } from '../../../testing/server-database.ts'
import { createAgent, createChat, createLlm, expectBody, send } from '../../../testing/server-test.ts'
import { startVoiceServer, VOICE_KEY, type VoiceServer } from '../../../testing/voice-server/voice-server.ts'

/** A server on which every documented error can occur. */
export interface RefusalEnvironment {
  readonly server: RunningServer
  readonly voices: VoiceServer
  readonly models: ModelServer
  /** Another workspace of the same account. */
  readonly secondWorkspaceId: number
  readonly tokens: Readonly<Record<'revoked' | 'expired' | 'reader' | 'first', string>>
  readonly ids: Readonly<Record<'llm' | 'agent' | 'elsewhere' | 'broken' | 'chat' | 'ended' | 'testCase', string>>
  /** A chat that uses the model server. */
  readonly modelChat: string
}

const EXPIRED = 'expired-token-0123456789'

/** Starts the servers and creates the resources. */
export async function startRefusalEnvironment(): Promise<RefusalEnvironment & AsyncDisposable> {
  const voices = await startVoiceServer()
  const models = await startModelServer()
  const server = await runServer({
    env: {
      ELEVENLABS_API_KEY: VOICE_KEY,
      ELEVENLABS_BASE_URL: voices.url,
      OPENAI_BASE_URL: `${models.url}/v1`,
    },
  })
  const second = await expectBody(
    201,
    server.call<{ id: number }>('POST', '/api/workspaces', { body: { name: 'Second' } }),
  )
  const broken = await createIn(server, second.id, { display_name: 'Broken' })
  await withStoppedServer(server, async (database) => {
    await execute(database, sql`update resource_versions set definition = 'no JSON' where resource_id = ${broken}`)
    const hash = createHash('sha256').update(EXPIRED).digest('hex')
    await execute(
      database,
      sql`insert into api_tokens (token_id, token_hash, user_id, name, scopes, expires_at, created_at)
        select 'token_expired', ${hash}, user_id, '', '["read"]', 1000, 0 from users limit 1`,
    )
  })
  return {
    ...(await fill(server, second.id)),
    server,
    voices,
    models,
    secondWorkspaceId: second.id,
    ids: { ...(await makeIds(server, second.id)), broken },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await Promise.all([voices.close(), models.close()])
    },
  }
}

async function createIn(server: RunningServer, workspaceId: number, fields: object): Promise<string> {
  const body = { workspaceId, ...fields }
  return (await expectBody(201, server.call<{ llm_id: string }>('POST', '/api/v1/llms', { body }))).llm_id
}

async function makeIds(server: RunningServer, secondId: number): Promise<Omit<RefusalEnvironment['ids'], 'broken'>> {
  const { llm_id } = await createLlm(server)
  const agent = await createAgent(server, { response_engine: { type: 'llm', llm_id } })
  const [chat, ended] = [await createChat(server, agent), await createChat(server, agent)]
  await expectBody(200, send(server, 'POST', `/api/chats/${ended.chatId}/end`))
  await expectBody(200, send(server, 'POST', `/api/llms/${llm_id}/publish`))
  const testCase = await expectBody(
    201,
    send<{ test_case_definition_id: string }>(server, 'POST', '/api/test-case-definitions', { name: 'Taken', llm_id }),
  )
  return {
    llm: llm_id,
    agent: agent.agent_id,
    elsewhere: await createIn(server, secondId, {}),
    chat: chat.chatId,
    ended: ended.chatId,
    testCase: testCase.test_case_definition_id,
  }
}

async function fill(
  server: RunningServer,
  secondId: number,
): Promise<Pick<RefusalEnvironment, 'tokens' | 'modelChat'>> {
  const makeToken = (fields: object) =>
    expectBody(
      201,
      server.call<{ token: string; tokenId: string }>('POST', '/api/tokens', { body: { name: 'Test', ...fields } }),
    )
  const revoked = await makeToken({ workspaceIds: [server.workspaceId, secondId] })
  await expectBody(204, server.call('DELETE', `/api/tokens/${revoked.tokenId}`))
  const agent = await createAgent(server, {}, { model: 'openai/any' })
  return {
    tokens: {
      revoked: revoked.token,
      expired: EXPIRED,
      reader: (await makeToken({ scopes: ['read'] })).token,
      first: (await makeToken({ workspaceIds: [server.workspaceId] })).token,
    },
    modelChat: (await createChat(server, agent)).chatId,
  }
}

export const as = (token: string) => ({ authorization: `Bearer ${token}` })

interface RefusalBody {
  readonly error: string
  readonly code: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
  readonly requestId: string
  readonly success?: false
}

/** Expects the documented error body and nothing else. */
export function expectRefusal(
  answer: ApiResponse<unknown>,
  [status, code]: readonly [number, string],
  { isCallRoute = false }: { readonly isCallRoute?: boolean } = {},
): RefusalBody {
  expect([answer.status, (answer.body as RefusalBody).code], JSON.stringify(answer.body)).toEqual([status, code])
  expect(answer.body).toEqual({
    ...(isCallRoute && { success: false }),
    error: expect.stringMatching(/\S/),
    code,
    status,
    details: expect.any(Array),
    requestId: expect.stringMatching(/^req_[0-9a-f]{26}$/),
  })
  const body = answer.body as RefusalBody
  for (const detail of body.details) expect(detail).toEqual({ path: expect.any(String), message: expect.any(String) })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.headers.get('x-request-id')).toBe(body.requestId)
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
  if (status === 405) expect(answer.headers.get('allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/)
  if (status === 409 || status === 429 || status === 503) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  }
  return body
}
