import { connect } from 'node:net'
import { describe, expect, test as plainTest } from 'vitest'
import type { ApiResponse, CallOptions } from '../../../testing/api-client.ts'
import { startModelServer } from '../../../testing/model-server/model-server.ts'
import { OWNER_TOKEN, type RunningServer, runServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, read, readChat, remove, send } from '../../../testing/server-test.ts'
import { as, expectRefusal, type RefusalEnvironment, startRefusalEnvironment } from './refusal-environment.ts'

const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('stage', { scope: 'file' }, async ({}, { onCleanup }) => {
    const stage = await startRefusalEnvironment()
    onCleanup(() => stage[Symbol.asyncDispose]())
    return stage
  })

interface Request extends CallOptions {
  readonly method?: string
  readonly path: string
}

type Refused = readonly [string, Request | ((stage: RefusalEnvironment) => Request), number, string]

const LLMS = '/api/v1/llms'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const searching = (voiceProvider: string) => ({ workspaceId: 1, voiceProvider, searchQuery: 'calm' })

/** All rows of the error table, each with every way to cause the error. */
const REFUSED: readonly Refused[] = [
  ['no workspace', { path: '/api/agents' }, 400, 'invalid_request'],
  ['truncated JSON', { method: 'POST', path: LLMS, body: '{"workspaceId": 1' }, 400, 'invalid_request'],
  ['an array as body', { method: 'POST', path: `${LLMS}?workspaceId=1`, body: [] }, 400, 'invalid_request'],
  ['NUL', { method: 'POST', path: LLMS, body: { workspaceId: 1, display_name: 'a\0' } }, 400, 'invalid_request'],
  [
    'two workspaces',
    { method: 'POST', path: `${LLMS}?workspaceId=1`, body: { workspaceId: 2 } },
    400,
    'invalid_request',
  ],
  [
    'alias fields with different values',
    { method: 'POST', path: LLMS, body: { workspaceId: 1, display_name: 'a', displayName: 'b' } },
    400,
    'invalid_request',
  ],
  ['no version', { path: '/api/agents/agent_no?workspaceId=1&version=0' }, 400, 'invalid_request'],
  [
    'an unknown actor type',
    { path: '/api/agents?workspaceId=1', headers: { 'x-actor-type': 'king' } },
    400,
    'invalid_request',
  ],
  [
    'a privileged actor without a tenant',
    { path: '/api/voices?workspaceId=1', headers: { 'x-actor-type': 'platform_admin' } },
    400,
    'tenant_context_required',
  ],
  ['no token', { path: '/api/workspaces', headers: { authorization: '' } }, 401, 'unauthorized'],
  ['another scheme', { path: '/api/workspaces', headers: { authorization: 'Basic abc' } }, 401, 'unauthorized'],
  ['an unknown token', { path: '/api/workspaces', headers: as('sk_no') }, 401, 'unauthorized'],
  ['a revoked token', ({ tokens }) => ({ path: '/api/workspaces', headers: as(tokens.revoked) }), 401, 'unauthorized'],
  ['an expired token', ({ tokens }) => ({ path: '/api/workspaces', headers: as(tokens.expired) }), 401, 'unauthorized'],
  [
    'a read-only token',
    ({ tokens }) => ({ method: 'POST', path: LLMS, body: { workspaceId: 1 }, headers: as(tokens.reader) }),
    403,
    'forbidden',
  ],
  ['an unknown path', { path: '/api/nothing' }, 404, 'not_found'],
  ['an unknown version', ({ ids }) => ({ path: `/api/agents/${ids.agent}?workspaceId=1&version=9` }), 404, 'not_found'],
  ['another method', { method: 'PUT', path: '/api/agents', body: {} }, 405, 'method_not_allowed'],
  [
    'an edit based on an outdated ETag',
    ({ ids }) => ({
      method: 'DELETE',
      path: `/api/agents/${ids.agent}?workspaceId=1`,
      headers: { 'if-match': '"99"' },
    }),
    412,
    'version_conflict',
  ],
  [
    'a body that is too large',
    { method: 'POST', path: '/api/agents', body: `"${'x'.repeat(1_100_000)}"` },
    413,
    'payload_too_large',
  ],
  ['a URL that is too long', { path: `/api/agents?workspaceId=1&x=${'y'.repeat(9000)}` }, 414, 'uri_too_long'],
  ['another media type', { method: 'POST', path: LLMS, body: 'a=1', headers: FORM }, 415, 'unsupported_media_type'],
  [
    'a message to a chat that has ended',
    ({ ids }) => ({
      method: 'POST',
      path: `/api/chats/${ids.ended}/completions`,
      body: { workspaceId: 1, content: 'Hi' },
    }),
    422,
    'chat_ended',
  ],
  [
    'an edit of a frozen version',
    ({ ids }) => ({ method: 'PATCH', path: `/api/llms/${ids.llm}`, body: { workspaceId: 1, version: 1 } }),
    422,
    'version_frozen',
  ],
  [
    'the deletion of a resource in use',
    ({ ids }) => ({ method: 'DELETE', path: `/api/llms/${ids.llm}?workspaceId=1` }),
    422,
    'in_use',
  ],
  [
    'an ID that is taken',
    ({ ids }) => ({
      method: 'POST',
      path: '/api/test-case-definitions',
      body: { workspaceId: 1, name: 'Again', llm_id: ids.llm, test_case_definition_id: ids.testCase },
    }),
    422,
    'id_taken',
  ],
  [
    'a turn that is not running',
    ({ ids }) => ({ method: 'POST', path: `/api/chats/${ids.chat}/turns/TURN/cancel`, body: { workspaceId: 1 } }),
    422,
    'turn_not_running',
  ],
  [
    'a provider without a key',
    { method: 'POST', path: '/api/voices/search', body: searching('cartesia') },
    422,
    'provider_not_configured',
  ],
  [
    'an invalid link',
    {
      method: 'POST',
      path: '/api/auth/reset-password',
      headers: { authorization: '' },
      body: { token: 'x'.repeat(43), newPassword: 'a long new password' },
    },
    422,
    'link_invalid',
  ],
]

test.for(REFUSED)('%s is refused', async ([, given, status, code], { stage }) => {
  const { method = 'GET', path, ...options } = typeof given === 'function' ? given(stage) : given
  const answer = await stage.server.call(method, await withTurn(stage, path), options)
  expectRefusal(answer, [status, code])
})

/** Inserts the ID of an ended turn into paths with a turn. */
async function withTurn({ server, ids }: RefusalEnvironment, path: string): Promise<string> {
  if (!path.includes('TURN')) return path
  const said = await send<{ messages: { turn_id: string }[] }>(server, 'POST', `/api/chats/${ids.chat}/completions`, {
    content: 'Hello',
  })
  return path.replace('TURN', said.body.messages[0]?.turn_id ?? '')
}

test('an inaccessible workspace is refused identically whether it exists or not', async ({ stage }) => {
  const { server, secondWorkspaceId, tokens } = stage
  const sentences: string[] = []
  for (const workspaceId of [secondWorkspaceId, 999]) {
    const query = { workspaceId }
    const listed = await server.call('GET', '/api/agents', { query, headers: as(tokens.first) })
    const created = await server.call('POST', LLMS, { body: { workspaceId }, headers: as(tokens.first) })
    for (const answer of [listed, created]) {
      const { error } = expectRefusal(answer, [403, 'workspace_forbidden'])
      sentences.push(error.replace(String(workspaceId), 'N'))
    }
  }
  expect(new Set(sentences).size).toBe(1)
})

test('the ID of a resource in another workspace is unknown', async ({ stage: { server, ids } }) => {
  const sentences: string[] = []
  for (const id of [ids.elsewhere, `llm_${'0'.repeat(26)}`]) {
    for (const answer of [await read(server, `/api/llms/${id}`), await remove(server, `/api/llms/${id}`)]) {
      sentences.push(expectRefusal(answer, [404, 'not_found']).error.replace(id, 'ID'))
    }
  }
  expect(new Set(sentences).size).toBe(1)
})

test('the error for an agent without a configured model explains the problem', async ({ stage: { server } }) => {
  const chat = await createChat(server, await createAgent(server, {}, { model: 'anthropic/some-model' }))
  const answer = await send(server, 'POST', `/api/chats/${chat.chatId}/completions`, { content: 'Hi' })
  expect(expectRefusal(answer, [422, 'model_not_configured']).error).toContain('offline')
})

test('an idempotency key in use returns 409, and 422 for another body', async ({ stage }) => {
  const { server, voices } = stage
  const requestCount = voices.requests.length
  const headers = { 'idempotency-key': 'search-once' }
  const leaving = new AbortController()
  const search = (searchQuery: string, signal?: AbortSignal) =>
    send(
      server,
      'POST',
      '/api/voices/search',
      { voiceProvider: 'elevenlabs', searchQuery },
      { headers, ...(signal !== undefined && { signal }) },
    )
  voices.script({ kind: 'hang' })
  const first = search('calm', leaving.signal)
  await voices.received(requestCount + 1)
  expectRefusal(await search('calm'), [409, 'idempotency_in_progress'])
  expectRefusal(await search('warm'), [422, 'idempotency_key_reused'])
  leaving.abort()
  await expect(first).rejects.toThrow()
})

describe('a failing provider', () => {
  const complete = (server: RunningServer, chatId: string, content: string) =>
    send(server, 'POST', `/api/chats/${chatId}/completions`, { content })
  const rolesIn = async (server: RunningServer, chatId: string) =>
    (await readChat(server, chatId)).messages.map(({ role }) => role)

  test('returns 502 and keeps the message', async ({ stage: { server, models, modelChat } }) => {
    models.script({ fault: 'status', status: 500 }, { fault: 'status', status: 500 })
    expectRefusal(await complete(server, modelChat, 'Hello'), [502, 'provider_error'])
    expect(await rolesIn(server, modelChat)).toEqual(['user'])
  })

  test('returns 504 if it does not respond and keeps each message', async () => {
    await using models = await startModelServer()
    const env = { OPENAI_BASE_URL: `${models.url}/v1`, FIRST_TOKEN_TIMEOUT_MS: '150' }
    await using server = await runServer({ env })
    const { chatId } = await createChat(server, await createAgent(server, {}, { model: 'openai/any' }))
    for (const content of ['Hello', 'Anybody?']) {
      models.script({ fault: 'hang', after: 'accept' }, { fault: 'hang', after: 'accept' })
      expectRefusal(await complete(server, chatId, content), [504, 'provider_timeout'])
    }
    expect(await rolesIn(server, chatId)).toEqual(['user', 'user'])
  })

  test('does not reveal its key', async ({ stage: { server, voices } }) => {
    const failure = { kind: 'json', status: 500, body: { key: voices.state.apiKey } } as const
    voices.script(failure, failure)
    const answer = await server.call('POST', '/api/voices/search', { body: searching('elevenlabs') })
    expectRefusal(answer, [502, 'provider_error'])
    expect(JSON.stringify(answer.body)).not.toContain(voices.state.apiKey)
  })
})

test('an internal error returns 500 without its cause', async ({ stage: { server, ids, secondWorkspaceId } }) => {
  const url = `${server.url}/api/llms/${ids.broken}?workspaceId=${secondWorkspaceId}`
  const response = await fetch(url, { headers: as(OWNER_TOKEN) })
  const text = await response.text()
  const answer: ApiResponse<unknown> = { status: response.status, headers: response.headers, body: JSON.parse(text) }
  expectRefusal(answer, [500, 'internal_error'])
  expect(text).not.toMatch(/no JSON|JSON\.parse|SyntaxError|\.ts|node:/)
})

test('a server that is shutting down returns 503 on open connections', async () => {
  await using server = await runServer()
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const received = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
    })
    socket.on('close', () => resolve(text))
  })
  const begun = `GET /api/workspaces HTTP/1.1\r\nHost: ${hostname}\r\n`
  await new Promise((resolve) => socket.write(begun, resolve))
  // The server only responds to this after it has read the previous data.
  await server.call('GET', '/api/workspaces')
  const exit = server.stop()
  await refusesConnections(Number(port), hostname)
  socket.write(`Authorization: Bearer ${OWNER_TOKEN}\r\n\r\n`)
  const [head = '', body = ''] = (await received).split('\r\n\r\n')
  const [status = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
  const answer = { status: Number(status.split(' ')[1]), headers, body: JSON.parse(body) as unknown }
  expectRefusal(answer, [503, 'unavailable'])
  expect(await exit).toEqual({ code: 0, signal: null })
})

/** Resolves once the port no longer accepts connections. */
async function refusesConnections(port: number, host: string): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const probe = connect(port, host, () => {
        probe.destroy()
        resolve(true)
      })
      probe.on('error', () => resolve(false))
    })
    if (!isOpen) return
  }
}

test('a rate-limited client learns when to retry, and other clients are not affected', async () => {
  await using server = await runServer({ env: { RATE_LIMIT_PER_SECOND: '0.001', RATE_LIMIT_BURST: '4' } })
  const answers = await Promise.all(Array.from({ length: 8 }, () => server.call('GET', '/api/workspaces')))
  const refused = answers.filter(({ status }) => status === 429)
  // One of the four requests was used to get the workspace.
  expect(refused).toHaveLength(5)
  for (const answer of refused) {
    expectRefusal(answer, [429, 'rate_limited'])
    expect(answer.headers.get('ratelimit-limit')).toBe('4')
    expect(answer.headers.get('ratelimit-remaining')).toBe('0')
    expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1)
  }
  expect((await server.call('GET', '/api/workspaces', { headers: { authorization: '' } })).status).toBe(401)
  expect((await server.call('GET', '/readyz')).status).toBe(200)
})

describe.each(['/api/v1/calls', '/api/calls'])('errors under %s contain success: false', (path) => {
  test.for<readonly [Request, number, string]>([
    [{ path: '?limit=101' }, 400, 'invalid_request'],
    [{ path: '/history?page=0' }, 400, 'invalid_request'],
    [{ path: '', headers: { authorization: '' } }, 401, 'unauthorized'],
    [{ path: '?workspaceId=999' }, 403, 'workspace_forbidden'],
    [{ path: '/call_none' }, 404, 'not_found'],
    [{ path: '/call_none/nothing/here' }, 404, 'not_found'],
    [{ path: '', method: 'PUT', body: {} }, 405, 'method_not_allowed'],
    [{ path: '/call_none/archive', method: 'POST', body: 'a=1', headers: FORM }, 415, 'unsupported_media_type'],
  ])('%j', async ([{ method = 'GET', path: rest, ...options }, status, code], { stage: { server } }) => {
    expectRefusal(await server.call(method, path + rest, options), [status, code], { isCallRoute: true })
  })
})
