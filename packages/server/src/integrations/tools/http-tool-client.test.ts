import type { HttpToolCall, HttpToolOutcome } from '@parley/engine/ports'
import { describe, expect, test } from 'vitest'
import { createLoopbackConnector } from '../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock, type SteppedClock } from '../../../../../testing/tool-server/stepped-clock.ts'
import type { ToolReply } from '../../../../../testing/tool-server/tool-reply.ts'
import { startToolServer, type ToolServer } from '../../../../../testing/tool-server/tool-server.ts'
import { verifySignature } from '../../kernel/security/signature.ts'
import { createGuardedClient } from '../../platform/outbound/guarded-request.ts'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { buildToolRequest, createHttpToolClient } from './http-tool-client.ts'
import { formatResponseText, truncateAtCharacter } from './response-text.ts'

const secrets = ['whsec_old', 'whsec_new']

interface Setup extends AsyncDisposable {
  readonly server: ToolServer
  readonly clock: SteppedClock
  call(change?: Partial<HttpToolCall>): Promise<HttpToolOutcome>
  /** Advances time by each retry pause. */
  advancePauses(...durationsMs: readonly number[]): Promise<void>
}

interface SetupOptions {
  readonly isAllowed?: boolean
  readonly readSecrets?: (workspaceId: number) => Promise<readonly string[]>
}

async function setUp({ isAllowed = true, readSecrets = async () => secrets }: SetupOptions = {}): Promise<Setup> {
  const server = await startToolServer()
  const clock = createSteppedClock()
  const policy = createTargetPolicy({ allowPrivateTargets: isAllowed ? [`127.0.0.1:${server.port}`] : [] })
  const guarded = createGuardedClient({
    clock,
    policy,
    resolve: async () => [],
    makeConnector: createLoopbackConnector,
  })
  const tools = createHttpToolClient({ request: guarded.request, readSecrets, clock, version: '1.2.3' })
  return {
    server,
    clock,
    call: (change) =>
      tools.forWorkspace(7).call({
        toolCallId: 'tool_call_1',
        name: 'book',
        method: 'POST',
        url: `${server.url}/book`,
        headers: {},
        queryParams: {},
        args: { guests: 2 },
        argsAtRoot: false,
        conversation: { call: { call_id: 'call_1' } },
        timeoutMs: 3000,
        maxRetry: 0,
        signal: new AbortController().signal,
        ...change,
      }),
    async advancePauses(...durationsMs) {
      for (const durationMs of durationsMs) {
        await clock.waitForTimer(durationMs)
        clock.advance(durationMs)
      }
    },
    [Symbol.asyncDispose]: async () => {
      await guarded.close()
      await server.close()
    },
  }
}

describe('requests', () => {
  test('are signed, and the response is returned', async () => {
    const workspaces: number[] = []
    await using setup = await setUp({
      readSecrets: async (workspaceId) => {
        workspaces.push(workspaceId)
        return secrets
      },
    })
    setup.server.script({ kind: 'json', body: { table: 4 }, status: 201 })
    expect(await setup.call()).toEqual({ ok: true, status: 201, bodyText: '{"table":4}', durationMs: 0 })
    expect(workspaces).toEqual([7])
    const request = setup.server.requests[0]
    expect(request).toMatchObject({ method: 'POST', path: '/book', headers: { 'idempotency-key': 'tool_call_1' } })
    expect(request?.rawBody.toString()).toBe('{"name":"book","call":{"call_id":"call_1"},"args":{"guests":2}}')
    for (const secret of secrets) expect(isSigned(setup, 0, secret)).toBe(true)
  })

  test.each(['GET', 'DELETE'] as const)('with %s have no body, and the empty body is signed', async (method) => {
    await using setup = await setUp()
    expect(await setup.call({ method })).toMatchObject({ ok: true })
    expect(setup.server.requests[0]).toMatchObject({ method, path: '/book?guests=2' })
    expect(setup.server.requests[0]?.rawBody).toHaveLength(0)
    expect(isSigned(setup, 0, 'whsec_new')).toBe(true)
  })

  test('ignore configured values of reserved headers', async () => {
    await using setup = await setUp()
    await setup.call({ headers: { 'X-Webhook-Signature': 'forged', Host: 'x', 'Content-Length': '1', 'X-Key': 'k' } })
    expect(isSigned(setup, 0, 'whsec_new')).toBe(true)
    expect(setup.server.requests[0]?.headers).toMatchObject({ host: `127.0.0.1:${setup.server.port}`, 'x-key': 'k' })
  })

  test.each<[string, Partial<HttpToolCall>, string]>([
    ['a header with a line break', { headers: { 'X-Name': 'a\r\nX-Injected: 1' } }, '"x-name"'],
    ['an invalid URL', { url: '{{base}}/book' }, 'URL'],
  ])('with %s are not sent', async (_case, change, message) => {
    await using setup = await setUp()
    const outcome = await setup.call({ ...change, maxRetry: 3 })
    expect(outcome).toMatchObject({ ok: false, reason: 'network', status: null })
    expect(outcome.ok ? '' : outcome.message).toContain(message)
    expect(setup.server.requests).toHaveLength(0)
  })

  test('to a blocked target fail without a retry', async () => {
    await using setup = await setUp({ isAllowed: false })
    const outcome = await setup.call({ maxRetry: 3 })
    expect(outcome).toMatchObject({ ok: false, reason: 'blocked-target', status: null })
    expect(outcome.ok ? '' : outcome.message).not.toContain('127.0.0.1')
  })

  test.each<[string, SetupOptions['readSecrets'] & object]>([
    ['there are none', async () => []],
    ['they cannot be read', () => Promise.reject(new Error('password of the database'))],
  ])('are not sent without signing secrets, when %s', async (_case, readSecrets) => {
    await using setup = await setUp({ readSecrets })
    const outcome = await setup.call()
    expect(outcome).toMatchObject({ ok: false, reason: 'network' })
    expect(outcome.ok ? '' : outcome.message).not.toContain('password')
    expect(setup.server.requests).toHaveLength(0)
  })
})

describe('responses', () => {
  test('of 2 MB are returned in full, and responses over 4 MiB fail', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'flood', sizeBytes: 2_000_000 }, { kind: 'flood', sizeBytes: 5_000_000 })
    const outcome = await setup.call()
    expect(outcome.ok && outcome.bodyText.length).toBe(2_000_000)
    expect(await setup.call({ maxRetry: 3 })).toMatchObject({ ok: false, reason: 'too-large' })
    expect(setup.server.requests).toHaveLength(2)
  })

  test('with HTML or binary content succeed', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'html' }, { kind: 'binary' })
    expect(await setup.call()).toMatchObject({ ok: true, bodyText: expect.stringContaining('Please sign in') })
    expect(await setup.call()).toMatchObject({ ok: true, bodyText: '[binary content: image/png, 12 bytes]' })
  })

  test('with a client error fail with the start of their body, without a retry', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'raw', body: 'e'.repeat(5000), contentType: 'text/plain', status: 422 })
    const outcome = await setup.call({ maxRetry: 3 })
    const message = `The tool responded with status 422: ${'e'.repeat(2000)}`
    expect(outcome).toEqual({ ok: false, reason: 'http-status', status: 422, message, durationMs: 0 })
    expect(setup.server.requests).toHaveLength(1)
  })

  test.each(['refuse', 'cut', 'wrong-length', 'garbage'] as const)(
    'that are incomplete or invalid (%s) fail',
    async (kind) => {
      await using setup = await setUp()
      setup.server.script({ kind })
      expect(await setup.call()).toMatchObject({ ok: false, reason: 'network' })
    },
  )

  test('that redirect to a blocked target fail', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: 'http://169.254.169.254/latest/meta-data/' })
    expect(await setup.call({ maxRetry: 3 })).toMatchObject({ ok: false, reason: 'blocked-target' })
    expect(setup.server.requests).toHaveLength(1)
  })

  test('that redirect endlessly fail', async () => {
    await using setup = await setUp()
    setup.server.script(...Array.from({ length: 9 }, () => ({ kind: 'redirect', to: '/again' }) as const))
    expect(await setup.call()).toMatchObject({ ok: false, reason: 'network' })
  })
})

describe('retries', () => {
  test('double the pause, keep the idempotency key and sign again', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'json', body: 0, status: 500 }, { kind: 'cut' }, { kind: 'json', body: 0, status: 503 })
    const outcome = setup.call({ maxRetry: 5 })
    await setup.advancePauses(500, 1000, 2000)
    expect(await outcome).toEqual({ ok: true, status: 200, bodyText: '{"ok":true}', durationMs: 3500 })
    const sentHeaders = setup.server.requests.map(({ headers }) => headers)
    expect(sentHeaders.map((headers) => headers['idempotency-key'])).toEqual(Array(4).fill('tool_call_1'))
    expect(new Set(sentHeaders.map((headers) => headers['x-webhook-signature'])).size).toBe(4)
    expect(setup.clock.timerCount).toBe(0)
  })

  test('stop after the configured number', async () => {
    await using setup = await setUp()
    setup.server.script(...Array.from({ length: 3 }, (): ToolReply => ({ kind: 'json', body: 0, status: 500 })))
    const outcome = setup.call({ maxRetry: 1 })
    await setup.advancePauses(500)
    expect(await outcome).toMatchObject({ ok: false, reason: 'http-status', status: 500 })
    expect(setup.server.requests).toHaveLength(2)
  })

  test('give each attempt its own time limit', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    const outcome = setup.call({ maxRetry: 1 })
    await setup.server.received(1)
    setup.clock.advance(3000)
    await setup.advancePauses(500)
    expect(await outcome).toMatchObject({ ok: true, durationMs: 3500 })
  })

  test('wait as long as the server requests', async () => {
    await using setup = await setUp()
    const dateHeader = new Date(setup.clock.now() + 9000).toUTCString()
    setup.server.script(
      { kind: 'json', body: 0, status: 429, headers: { 'retry-after': '7' } },
      { kind: 'json', body: 0, status: 429, headers: { 'retry-after': dateHeader } },
    )
    const outcome = setup.call({ maxRetry: 2 })
    await setup.advancePauses(7000, 2000)
    expect(await outcome).toMatchObject({ ok: true })
  })

  test('are not made if the server requests more than ten seconds', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'json', body: 0, status: 429, headers: { 'retry-after': '11' } })
    expect(await setup.call({ maxRetry: 5 })).toMatchObject({ ok: false, status: 429 })
    expect(setup.server.requests).toHaveLength(1)
  })

  test('never wait longer than ten seconds', async () => {
    await using setup = await setUp()
    setup.server.script(...Array.from({ length: 6 }, (): ToolReply => ({ kind: 'refuse' })))
    const outcome = setup.call({ maxRetry: 6 })
    await setup.advancePauses(500, 1000, 2000, 4000, 8000, 10_000)
    expect(await outcome).toMatchObject({ ok: true })
  })
})

describe('cancellation', () => {
  const cancelled = { ok: false, reason: 'cancelled' }

  test('before the call sends nothing', async () => {
    await using setup = await setUp()
    expect(await setup.call({ signal: AbortSignal.abort() })).toMatchObject(cancelled)
    expect(setup.server.requests).toHaveLength(0)
  })

  test('ends the call while secrets are read', async () => {
    await using setup = await setUp({ readSecrets: () => new Promise(() => undefined) })
    const controller = new AbortController()
    const outcome = setup.call({ signal: controller.signal })
    controller.abort()
    expect(await outcome).toMatchObject(cancelled)
  })

  test('during an attempt closes the connection without a retry', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    const controller = new AbortController()
    const outcome = setup.call({ signal: controller.signal, maxRetry: 3 })
    await setup.server.received(1)
    controller.abort()
    expect(await outcome).toMatchObject(cancelled)
    await setup.server.abandoned()
    expect(setup.server.requests).toHaveLength(1)
  })

  test('during a pause ends the call', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'refuse' })
    const controller = new AbortController()
    const outcome = setup.call({ signal: controller.signal, maxRetry: 3 })
    await setup.clock.waitForTimer(500)
    controller.abort()
    expect(await outcome).toMatchObject(cancelled)
    expect(setup.clock.timerCount).toBe(0)
    expect(setup.server.requests).toHaveLength(1)
  })
})

function isSigned(setup: Setup, index: number, secret: string): boolean {
  const request = setup.server.requests[index]
  const header = request?.headers['x-webhook-signature'] ?? ''
  const rawBody = request?.rawBody ?? Buffer.alloc(0)
  return verifySignature(header, { secrets: [secret], rawBody, nowMs: setup.clock.now() })
}

const call: HttpToolCall = {
  toolCallId: 'tool_call_1',
  name: 'book_table',
  method: 'POST',
  url: 'https://tools.test/book?fixed=a%20b',
  headers: {},
  queryParams: {},
  args: { guests: 2, name: 'Zoë & Ann', vip: false, tags: ['a', 1], place: { city: 'Ulm' }, note: null },
  argsAtRoot: false,
  conversation: { chat: { chat_id: 'chat_1' } },
  timeoutMs: 1000,
  maxRetry: 0,
  signal: new AbortController().signal,
}

const buildRequest = (change: Partial<HttpToolCall> = {}) => buildToolRequest({ ...call, ...change }, 'Parley/1.2.3')

describe('the request body', () => {
  test('contains the name, the conversation and the args', () => {
    const request = buildRequest()
    expect(request?.body).toBe(JSON.stringify({ name: 'book_table', chat: { chat_id: 'chat_1' }, args: call.args }))
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.url).toBe(call.url)
  })

  test('contains only the args when they are at the root', () => {
    expect(buildRequest({ argsAtRoot: true, method: 'PATCH' })?.body).toBe(JSON.stringify(call.args))
  })

  test.each(['GET', 'DELETE'] as const)('is empty for %s, with the args in the query', (method) => {
    const request = buildRequest({ method, queryParams: { guests: '4', key: 'k' } })
    expect(request?.body).toBe('')
    expect(request?.headers).not.toHaveProperty('content-type')
    expect(Object.fromEntries(new URL(request?.url ?? '').searchParams)).toEqual({
      fixed: 'a b',
      guests: '4',
      key: 'k',
      name: 'Zoë & Ann',
      vip: 'false',
      tags: '["a",1]',
      place: '{"city":"Ulm"}',
    })
  })

  test('does not change the configured query parameters of a POST', () => {
    expect(buildRequest({ queryParams: { fixed: 'new' } })?.url).toBe('https://tools.test/book?fixed=new')
  })

  test.each(['', 'tools.test', '{{base_url}}/x', 'http://'])('is missing for the URL "%s"', (url) => {
    expect(buildRequest({ url })).toBeNull()
  })
})

describe('the request headers', () => {
  test('identify the product and the call', () => {
    expect(buildRequest()?.headers).toMatchObject({ 'user-agent': 'Parley/1.2.3', 'idempotency-key': 'tool_call_1' })
  })

  test('can be configured, except for reserved headers', () => {
    const headers = {
      'User-Agent': 'mine',
      'Content-Type': 'application/vnd.api+json',
      'X-Key': 'k',
      'x-webhook-SIGNATURE': 'v=1,d=0',
      'Idempotency-key': 'theirs',
      'Content-Length': '1',
      HOST: 'internal',
    }
    expect(buildRequest({ headers })?.headers).toEqual({
      'user-agent': 'mine',
      accept: expect.any(String),
      'content-type': 'application/vnd.api+json',
      'x-key': 'k',
      'idempotency-key': 'tool_call_1',
    })
  })
})

describe('formatResponseText', () => {
  test.each<[string, Buffer, string | undefined, string]>([
    ['JSON', Buffer.from('{"a":"ü"}'), 'application/json', '{"a":"ü"}'],
    ['a JSON dialect', Buffer.from('{}'), 'application/problem+json; charset=utf-8', '{}'],
    ['HTML', Buffer.from('<p>ü</p>'), 'text/html', '<p>ü</p>'],
    ['Latin-1', Buffer.from([0x5a, 0x6f, 0xeb]), 'text/plain; charset=iso-8859-1', 'Zoë'],
    ['a quoted charset', Buffer.from([0x5a, 0x6f, 0xeb]), 'text/plain;Charset="ISO-8859-1"', 'Zoë'],
    ['UTF-16', Buffer.from('Zoë', 'utf16le'), 'text/plain; charset=utf-16le', 'Zoë'],
    ['an unknown charset', Buffer.from('Zoë'), 'text/plain; charset=klingon', 'Zoë'],
    ['broken UTF-8 in declared text', Buffer.from([0x61, 0xff, 0x62]), 'text/plain', 'a\ufffdb'],
    ['a byte order mark', Buffer.from('\ufeff{}'), 'application/json', '{}'],
    ['text without a type', Buffer.from('Zoë'), undefined, 'Zoë'],
    ['text with a wrong type', Buffer.from('hello'), 'application/octet-stream', 'hello'],
    ['nothing', Buffer.alloc(0), 'image/png', ''],
    ['an image', Buffer.from([0x89, 0x50, 0xff]), 'image/png', '[binary content: image/png, 3 bytes]'],
    ['bytes without a type', Buffer.from([0xff, 0xfe]), undefined, '[binary content: unknown type, 2 bytes]'],
    ['text with U+0000', Buffer.from('a\0b'), 'text/plain', '[binary content: text/plain, 3 bytes]'],
    ['an invalid type', Buffer.from([0xff]), 'ignore all rules', '[binary content: unknown type, 1 bytes]'],
  ])('formats %s', (_case, body, contentType, expected) => {
    expect(formatResponseText(body, contentType)).toBe(expected)
  })
})

describe('truncateAtCharacter', () => {
  test('truncates long text without splitting a surrogate pair', () => {
    expect(truncateAtCharacter('abc', 3)).toBe('abc')
    expect(truncateAtCharacter('abcd', 3)).toBe('abc')
    expect(truncateAtCharacter('ab😀', 3)).toBe('ab')
  })
})
