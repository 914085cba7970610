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
  /** Lets the pauses before retries pass. */
  pause(...durationsMs: readonly number[]): Promise<void>
}

interface SetupOptions {
  readonly isAllowed?: boolean
  readonly secretsFor?: (workspaceId: number) => Promise<readonly string[]>
}

async function setUp({ isAllowed = true, secretsFor = async () => secrets }: SetupOptions = {}): Promise<Setup> {
  const server = await startToolServer()
  const clock = createSteppedClock()
  const policy = createTargetPolicy({ allowPrivateTargets: isAllowed ? [`127.0.0.1:${server.port}`] : [] })
  const guarded = createGuardedClient({
    clock,
    policy,
    resolve: async () => [],
    makeConnector: createLoopbackConnector,
  })
  const client = createHttpToolClient({ request: guarded.request, secretsFor, clock, version: '1.2.3' }).forWorkspace(7)
  return {
    server,
    clock,
    call: (change) =>
      client.call({
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
    async pause(...durationsMs) {
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

describe('sending', () => {
  test('a signed request, and its answer comes back', async () => {
    const workspaces: number[] = []
    await using setup = await setUp({
      secretsFor: async (workspaceId) => {
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

  test.each(['GET', 'DELETE'] as const)('a %s without a body, signed over nothing', async (method) => {
    await using setup = await setUp()
    expect(await setup.call({ method })).toMatchObject({ ok: true })
    expect(setup.server.requests[0]).toMatchObject({ method, path: '/book?guests=2' })
    expect(setup.server.requests[0]?.rawBody).toHaveLength(0)
    expect(isSigned(setup, 0, 'whsec_new')).toBe(true)
  })

  test('with headers that cannot replace ours', async () => {
    await using setup = await setUp()
    await setup.call({ headers: { 'X-Webhook-Signature': 'forged', Host: 'x', 'Content-Length': '1', 'X-Key': 'k' } })
    expect(isSigned(setup, 0, 'whsec_new')).toBe(true)
    expect(setup.server.requests[0]?.headers).toMatchObject({ host: `127.0.0.1:${setup.server.port}`, 'x-key': 'k' })
  })

  test.each<[string, Partial<HttpToolCall>, string]>([
    ['a header with a line break', { headers: { 'X-Name': 'a\r\nX-Injected: 1' } }, '"x-name"'],
    ['a URL that is invalid', { url: '{{base}}/book' }, 'URL'],
  ])('nothing with %s', async (_case, change, message) => {
    await using setup = await setUp()
    const outcome = await setup.call({ ...change, maxRetry: 3 })
    expect(outcome).toMatchObject({ ok: false, reason: 'network', status: null })
    expect(outcome.ok ? '' : outcome.message).toContain(message)
    expect(setup.server.requests).toHaveLength(0)
  })

  test('not to a target that the guard refuses, and not again', async () => {
    await using setup = await setUp({ isAllowed: false })
    const outcome = await setup.call({ maxRetry: 3 })
    expect(outcome).toMatchObject({ ok: false, reason: 'blocked-target', status: null })
    expect(outcome.ok ? '' : outcome.message).not.toContain('127.0.0.1')
  })

  test.each<[string, SetupOptions['secretsFor'] & object]>([
    ['none are there', async () => []],
    ['they cannot be read', () => Promise.reject(new Error('password of the database'))],
  ])('not without secrets, when %s', async (_case, secretsFor) => {
    await using setup = await setUp({ secretsFor })
    const outcome = await setup.call()
    expect(outcome).toMatchObject({ ok: false, reason: 'network' })
    expect(outcome.ok ? '' : outcome.message).not.toContain('password')
    expect(setup.server.requests).toHaveLength(0)
  })
})

describe('answers', () => {
  test('of 2 MB arrive whole, larger ones than 4 MiB fail', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'flood', sizeBytes: 2_000_000 }, { kind: 'flood', sizeBytes: 5_000_000 })
    const outcome = await setup.call()
    expect(outcome.ok && outcome.bodyText.length).toBe(2_000_000)
    expect(await setup.call({ maxRetry: 3 })).toMatchObject({ ok: false, reason: 'too-large' })
    expect(setup.server.requests).toHaveLength(2)
  })

  test('that are HTML or binary are results', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'html' }, { kind: 'binary' })
    expect(await setup.call()).toMatchObject({ ok: true, bodyText: expect.stringContaining('Please sign in') })
    expect(await setup.call()).toMatchObject({ ok: true, bodyText: '[binary content: image/png, 12 bytes]' })
  })

  test('with an error status tell the start of their body, without a retry', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'raw', body: 'e'.repeat(5000), contentType: 'text/plain', status: 422 })
    const outcome = await setup.call({ maxRetry: 3 })
    const message = `The tool answered with status 422: ${'e'.repeat(2000)}`
    expect(outcome).toEqual({ ok: false, reason: 'http-status', status: 422, message, durationMs: 0 })
    expect(setup.server.requests).toHaveLength(1)
  })

  test.each(['refuse', 'cut', 'wrong-length', 'garbage'] as const)(
    'that are broken off (%s) are failures',
    async (kind) => {
      await using setup = await setUp()
      setup.server.script({ kind })
      expect(await setup.call()).toMatchObject({ ok: false, reason: 'network' })
    },
  )

  test('that redirect to a refused target are failures', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'redirect', to: 'http://169.254.169.254/latest/meta-data/' })
    expect(await setup.call({ maxRetry: 3 })).toMatchObject({ ok: false, reason: 'blocked-target' })
    expect(setup.server.requests).toHaveLength(1)
  })

  test('that redirect for ever are failures', async () => {
    await using setup = await setUp()
    setup.server.script(...Array.from({ length: 9 }, () => ({ kind: 'redirect', to: '/again' }) as const))
    expect(await setup.call()).toMatchObject({ ok: false, reason: 'network' })
  })
})

describe('retries', () => {
  test('double their pause, keep the id and sign again', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'json', body: 0, status: 500 }, { kind: 'cut' }, { kind: 'json', body: 0, status: 503 })
    const outcome = setup.call({ maxRetry: 5 })
    await setup.pause(500, 1000, 2000)
    expect(await outcome).toEqual({ ok: true, status: 200, bodyText: '{"ok":true}', durationMs: 3500 })
    const sent = setup.server.requests.map(({ headers }) => headers)
    expect(sent.map((headers) => headers['idempotency-key'])).toEqual(Array(4).fill('tool_call_1'))
    expect(new Set(sent.map((headers) => headers['x-webhook-signature'])).size).toBe(4)
    expect(setup.clock.timerCount).toBe(0)
  })

  test('end after the configured number', async () => {
    await using setup = await setUp()
    setup.server.script(...Array.from({ length: 3 }, (): ToolReply => ({ kind: 'json', body: 0, status: 500 })))
    const outcome = setup.call({ maxRetry: 1 })
    await setup.pause(500)
    expect(await outcome).toMatchObject({ ok: false, reason: 'http-status', status: 500 })
    expect(setup.server.requests).toHaveLength(2)
  })

  test('give each attempt its own time', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    const outcome = setup.call({ maxRetry: 1 })
    await setup.server.received(1)
    setup.clock.advance(3000)
    await setup.pause(500)
    expect(await outcome).toMatchObject({ ok: true, durationMs: 3500 })
  })

  test('wait as long as the server asks', async () => {
    await using setup = await setUp()
    const dateHeader = new Date(setup.clock.now() + 9000).toUTCString()
    setup.server.script(
      { kind: 'json', body: 0, status: 429, headers: { 'retry-after': '7' } },
      { kind: 'json', body: 0, status: 429, headers: { 'retry-after': dateHeader } },
    )
    const outcome = setup.call({ maxRetry: 2 })
    await setup.pause(7000, 2000)
    expect(await outcome).toMatchObject({ ok: true })
  })

  test('are not made when the server asks for more than ten seconds', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'json', body: 0, status: 429, headers: { 'retry-after': '11' } })
    expect(await setup.call({ maxRetry: 5 })).toMatchObject({ ok: false, status: 429 })
    expect(setup.server.requests).toHaveLength(1)
  })

  test('never wait longer than ten seconds', async () => {
    await using setup = await setUp()
    setup.server.script(...Array.from({ length: 6 }, (): ToolReply => ({ kind: 'refuse' })))
    const outcome = setup.call({ maxRetry: 6 })
    await setup.pause(500, 1000, 2000, 4000, 8000, 10_000)
    expect(await outcome).toMatchObject({ ok: true })
  })
})

describe('cancelling', () => {
  const cancelled = { ok: false, reason: 'cancelled' }

  test('before the call sends nothing', async () => {
    await using setup = await setUp()
    expect(await setup.call({ signal: AbortSignal.abort() })).toMatchObject(cancelled)
    expect(setup.server.requests).toHaveLength(0)
  })

  test('while secrets are read ends at once', async () => {
    await using setup = await setUp({ secretsFor: () => new Promise(() => undefined) })
    const controller = new AbortController()
    const outcome = setup.call({ signal: controller.signal })
    controller.abort()
    expect(await outcome).toMatchObject(cancelled)
  })

  test('during an attempt closes the connection, without a retry', async () => {
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

  test('during a pause ends it', async () => {
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

const build = (change: Partial<HttpToolCall> = {}) => buildToolRequest({ ...call, ...change }, 'Parley/1.2.3')

describe('the body', () => {
  test('is the name, the conversation and the args', () => {
    const request = build()
    expect(request?.body).toBe(JSON.stringify({ name: 'book_table', chat: { chat_id: 'chat_1' }, args: call.args }))
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.url).toBe(call.url)
  })

  test('is the bare args when they are at the root', () => {
    expect(build({ argsAtRoot: true, method: 'PATCH' })?.body).toBe(JSON.stringify(call.args))
  })

  test.each(['GET', 'DELETE'] as const)('is empty for %s, whose args are query parameters', (method) => {
    const request = build({ method, queryParams: { guests: '4', key: 'k' } })
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

  test('leaves a POST its configured query parameters', () => {
    expect(build({ queryParams: { fixed: 'new' } })?.url).toBe('https://tools.test/book?fixed=new')
  })

  test.each(['', 'tools.test', '{{base_url}}/x', 'http://'])('has no request for the address "%s"', (url) => {
    expect(build({ url })).toBeNull()
  })
})

describe('the headers', () => {
  test('name the product and the call', () => {
    expect(build()?.headers).toMatchObject({ 'user-agent': 'Parley/1.2.3', 'idempotency-key': 'tool_call_1' })
  })

  test('can be configured, except for ours', () => {
    const headers = {
      'User-Agent': 'mine',
      'Content-Type': 'application/vnd.api+json',
      'X-Key': 'k',
      'x-webhook-SIGNATURE': 'v=1,d=0',
      'Idempotency-key': 'theirs',
      'Content-Length': '1',
      HOST: 'internal',
    }
    expect(build({ headers })?.headers).toEqual({
      'user-agent': 'mine',
      accept: expect.any(String),
      'content-type': 'application/vnd.api+json',
      'x-key': 'k',
      'idempotency-key': 'tool_call_1',
    })
  })
})

describe('responseText', () => {
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
    ['a type that is no type', Buffer.from([0xff]), 'ignore all rules', '[binary content: unknown type, 1 bytes]'],
  ])('of %s', (_case, body, contentType, expected) => {
    expect(formatResponseText(body, contentType)).toBe(expected)
  })
})

describe('textStart', () => {
  test('cuts long text, but no pair', () => {
    expect(truncateAtCharacter('abc', 3)).toBe('abc')
    expect(truncateAtCharacter('abcd', 3)).toBe('abc')
    expect(truncateAtCharacter('ab😀', 3)).toBe('ab')
  })
})
