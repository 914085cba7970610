import { describe, expect, test } from 'vitest'
import type { McpFault } from '../../../../../testing/mcp-server/mcp-fault.ts'
import { setUpMcp } from './mcp-test-kit.ts'

const HANDSHAKE = ['POST initialize', 'POST notifications/initialized']

describe('listing tools', () => {
  test('returns each tool with its input schema', async () => {
    await using setup = await setUpMcp()
    const toolList = await setup.list()
    expect(toolList.ok && toolList.tools.slice(0, 3)).toEqual([
      {
        name: 'echo',
        description: 'Says the same.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      expect.objectContaining({ name: 'add', description: 'Adds two numbers.' }),
      { name: 'slow', description: '', inputSchema: { type: 'object' } },
    ])
    expect(setup.server.listLabels()).toEqual([...HANDSHAKE, 'POST tools/list'])
  })

  test.each([
    [25, 33, 4],
    [1100, 1000, 100],
  ])('returns %2$i tools over several pages when there are %1$i more tools', async (moreTools, listedTools, pages) => {
    await using setup = await setUpMcp({ moreTools })
    const toolList = await setup.list()
    expect(toolList.ok && new Set(toolList.tools.map(({ name }) => name)).size).toBe(listedTools)
    expect(setup.server.listLabels().filter((label) => label === 'POST tools/list')).toHaveLength(pages)
  })

  test('stops after 100 pages', async () => {
    await using setup = await setUpMcp({ endlessPages: true })
    const toolList = await setup.list()
    expect(toolList.ok && toolList.tools).toHaveLength(8)
    expect(setup.server.listLabels().filter((label) => label === 'POST tools/list')).toHaveLength(100)
  })

  test('fails when the server rejects the request', async () => {
    await using setup = await setUpMcp()
    setup.server.script('tools/list', { kind: 'error', message: 'No tools for you.' })
    expect(await setup.list()).toMatchObject({
      ok: false,
      reason: 'protocol',
      message: 'The MCP server rejected the request: No tools for you.',
    })
  })
})

describe('calling a tool', () => {
  test.each([
    ['echo', { text: 'Grüße' }, { ok: true, bodyText: 'Grüße' }],
    ['add', { a: 1, b: 2 }, { ok: true, bodyText: '{"sum":3}' }],
    ['fails', {}, { ok: false, reason: 'tool-error', message: 'No order 7 exists.' }],
    ['fails_silently', {}, { ok: false, reason: 'tool-error', message: 'The tool failed without an error message.' }],
    ['unknown', {}, { ok: false, reason: 'tool-error', message: 'There is no tool "unknown".' }],
    ['huge', {}, { ok: false, reason: 'too-large' }],
    // Requests of the server are rejected, and the call continues.
    ['asks', {}, { ok: true, bodyText: 'The client refused.' }],
  ])('returns the result of %s with %j', async (toolName, args, expected) => {
    for (const answersJson of [false, true]) {
      if (answersJson && toolName === 'asks') continue
      await using setup = await setUpMcp({ answersJson })
      expect(await setup.call(toolName, args)).toMatchObject(expected)
    }
  })

  test('describes binary content in brackets and never contains U+0000', async () => {
    await using setup = await setUpMcp()
    const outcome = await setup.call('media')
    expect(outcome.ok && outcome.bodyText.split('\n')).toEqual([
      'See:',
      '[image: image/png, 70 bytes]',
      '[audio: unknown type, 3 bytes]',
      '[resource: file:///menu]',
      'Soup\ufffd',
      '[resource: file:///b, application/pdf, 3 bytes]',
    ])
  })

  test('sends configured headers and parameters, except for protocol headers', async () => {
    await using setup = await setUpMcp()
    const headers = { Authorization: 'Bearer t', 'Mcp-Session-Id': 'forged', Accept: 'x/y', 'Last-Event-Id': '7' }
    const server = { url: `${setup.server.url}?a=b`, headers, queryParams: { key: 'k k' } }
    expect(await setup.call('echo', { text: 'hi' }, { server })).toMatchObject({ ok: true })
    expect(setup.server.requests).toHaveLength(3)
    for (const request of setup.server.requests) {
      expect(request.path).toBe('/mcp?a=b&key=k+k')
      expect(request.headers).toMatchObject({
        authorization: 'Bearer t',
        'user-agent': 'Parley/1.2.3',
        accept: 'application/json, text/event-stream',
      })
      expect(request.headers).not.toHaveProperty('last-event-id')
      expect(request.headers['mcp-session-id']).not.toBe('forged')
    }
  })

  test.each([
    [{ url: 'nothing' }, 'is invalid'],
    [{ url: 'ftp://127.0.0.1/' }, 'Only http and https'],
    [{ url: 'http://a:secret@127.0.0.1/' }, 'must not contain a user name'],
    [{ headers: { 'X-A': 'a\nb' } }, 'X-A'],
    [{ url: 'http://10.0.0.7/mcp' }, 'Only public addresses'],
  ])('fails for %j', async (server, message) => {
    await using setup = await setUpMcp()
    const outcome = await setup.call('echo', { text: 'hi' }, { server })
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(message) })
    expect(JSON.stringify(outcome)).not.toMatch(/secret|10\.0/)
  })
})

describe('a session', () => {
  test('is shared by calls with one configuration and ends when it is idle', async () => {
    await using setup = await setUpMcp()
    const calls = Array.from({ length: 5 }, (_, number) => setup.call('echo', { text: `${number}` }))
    expect((await Promise.all(calls)).map((outcome) => outcome.ok && outcome.bodyText)).toEqual([...'01234'])
    await setup.list()
    expect(setup.server.listLabels().filter((label) => HANDSHAKE.includes(label))).toEqual(HANDSHAKE)
    expect(setup.server.listLabels()).not.toContain('GET')
    expect(setup.server.sessionCount).toBe(1)
    setup.clock.advance(59_999)
    await setup.call('echo', { text: 'again' })
    setup.clock.advance(60_000)
    await setup.server.received('DELETE')
    expect(setup.server.listLabels().filter((label) => label === 'POST initialize')).toHaveLength(1)
    expect(setup.clock.timerCount).toBeLessThanOrEqual(1)
  })

  test('is not shared between configurations with different credentials', async () => {
    await using setup = await setUpMcp()
    for (const key of ['a', 'b', 'a'])
      await setup.call('echo', { text: 'x' }, { server: { headers: { 'x-key': key } } })
    await setup.call('echo', { text: 'x' }, { server: { queryParams: { key: 'a' } } })
    expect(setup.server.sessionCount).toBe(3)
    const calls = setup.server.requests.filter(({ label }) => label === 'POST tools/call')
    expect(calls.map(({ headers }) => headers['x-key'])).toEqual(['a', 'b', 'a', undefined])
    expect(calls[0]?.headers['mcp-session-id']).toBe(calls[2]?.headers['mcp-session-id'])
  })

  test('is reopened once if the server lost it', async () => {
    await using setup = await setUpMcp()
    await setup.call('echo', { text: 'one' })
    setup.server.clearSessions()
    expect(await setup.call('echo', { text: 'two' })).toMatchObject({ ok: true, bodyText: 'two' })
    expect(setup.server.sessionCount).toBe(1)
    setup.server.script('tools/call', { kind: 'status', status: 404 }, { kind: 'status', status: 404 })
    expect(await setup.call('echo', { text: 'three' })).toMatchObject({ ok: false, reason: 'protocol' })
    expect(await setup.call('echo', { text: 'four' })).toMatchObject({ ok: true })
  })

  test('is optional', async () => {
    await using setup = await setUpMcp({ isStateless: true })
    expect(await setup.list()).toMatchObject({ ok: true })
    setup.server.script('tools/call', { kind: 'status', status: 404 })
    expect(await setup.call('echo', { text: 'x' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('404'),
    })
  })

  test('that was least recently used ends when there are too many', async () => {
    await using setup = await setUpMcp({ answersJson: true })
    for (let number = 0; number < 203; number++) {
      await setup.call('echo', { text: 'x' }, { server: { queryParams: { number: `${number}` } } })
    }
    await setup.server.received('DELETE', 3)
    const deleteRequests = setup.server.requests.filter(({ label }) => label === 'DELETE')
    expect(deleteRequests.map(({ path }) => path)).toEqual([0, 1, 2].map((number) => `/mcp?number=${number}`))
  })
})

const FAULTS: readonly [McpFault, string, RegExp][] = [
  [{ kind: 'status', status: 401 }, 'protocol', /status 401/],
  [{ kind: 'status', status: 500 }, 'protocol', /status 500/],
  [{ kind: 'redirect', to: 'http://169.254.169.254/latest' }, 'blocked-target', /responded with a redirect/],
  [{ kind: 'redirect', to: '//10.0.0.1/mcp', status: 302 }, 'blocked-target', /responded with a redirect/],
  [{ kind: 'redirect', to: 'file:///etc/passwd' }, 'blocked-target', /responded with a redirect/],
  [{ kind: 'no-json' }, 'protocol', /Model Context Protocol/],
  [{ kind: 'other-json' }, 'protocol', /Model Context Protocol/],
  [{ kind: 'wrong-result' }, 'protocol', /Model Context Protocol/],
  [{ kind: 'html' }, 'protocol', /unexpected content type/],
  [{ kind: 'no-http' }, 'network', /not valid HTTP/],
  [{ kind: 'endless-events' }, 'too-large', /too many messages/],
  [{ kind: 'ping-flood' }, 'too-large', /too many requests/],
]

/** The server ends its response. Received events are parsed first. */
const EARLY_ENDS: readonly [McpFault, string, RegExp][] = [
  [{ kind: 'other-id' }, 'network', /ended its response/],
  [{ kind: 'accepted' }, 'network', /ended its response/],
  [{ kind: 'ended-events' }, 'network', /ended its response/],
  [{ kind: 'cut-events' }, 'network', /closed the connection/],
]

describe.each([
  ['calling a tool', 'tools/call'],
  ['connecting', 'initialize'],
])('while %s', (_, method) => {
  test.each(FAULTS)('%j', async (fault, reason, message) => {
    await using setup = await setUpMcp()
    setup.server.script(method, fault)
    const outcome = await setup.call('echo', { text: 'hi' })
    expect(outcome).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) })
    expect(JSON.stringify(outcome)).not.toMatch(/127\.0|169\.254|10\.0|passwd/)
    expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true, bodyText: 'hi' })
  })

  test.each(EARLY_ENDS)('%j', async (fault, reason, message) => {
    await using setup = await setUpMcp()
    if (method !== 'initialize') await setup.list()
    setup.server.script(method, fault)
    const outcome = setup.call('echo', { text: 'hi' })
    await setup.clock.waitForTimer(250)
    setup.clock.advance(250)
    expect(await outcome).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) })
    expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true, bodyText: 'hi' })
  })

  test.each<McpFault>([{ kind: 'hang' }, { kind: 'quiet-events' }])('%j times out', async (fault) => {
    await using setup = await setUpMcp()
    setup.server.script(method, fault)
    const outcome = setup.call('echo', { text: 'hi' })
    await setup.server.received(`POST ${method}`)
    setup.clock.advance(5000)
    expect(await outcome).toMatchObject({
      ok: false,
      reason: 'timeout',
      message: 'The MCP server did not respond within 5000 ms.',
      durationMs: 5000,
    })
    await setup.server.abandoned()
    expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true })
  })
})

test('an interrupted stream is resumed', async () => {
  await using setup = await setUpMcp()
  await setup.list()
  setup.server.script('tools/call', { kind: 'resumed', text: 'At last.' })
  const outcome = setup.call('echo', { text: 'hi' })
  await setup.clock.waitForTimer(250)
  setup.clock.advance(250)
  await setup.clock.waitForTimer(1000)
  setup.clock.advance(1000)
  expect(await outcome).toMatchObject({ ok: true, bodyText: 'At last.' })
  expect(setup.server.requests.find(({ label }) => label === 'GET')?.headers['last-event-id']).toBe('2')
})

test('a redirect to the same origin is followed with the credentials', async () => {
  await using setup = await setUpMcp()
  setup.server.script('tools/call', { kind: 'redirect', to: '/moved' })
  const server = { headers: { authorization: 'Bearer t' } }
  expect(await setup.call('echo', { text: 'hi' }, { server })).toMatchObject({ ok: true, bodyText: 'hi' })
  expect(setup.server.requests.at(-1)).toMatchObject({ path: '/moved', headers: { authorization: 'Bearer t' } })
})

test('cancelling a call ends it immediately and notifies the server', async () => {
  await using setup = await setUpMcp()
  const abortedSignal = AbortSignal.abort()
  expect(await setup.call('echo', {}, { signal: abortedSignal })).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(setup.server.requests).toHaveLength(0)
  const controller = new AbortController()
  const outcome = setup.call('slow', {}, { signal: controller.signal })
  await setup.server.received('POST tools/call')
  controller.abort()
  expect(await outcome).toMatchObject({ ok: false, reason: 'cancelled', message: 'The request was cancelled.' })
  await setup.server.received('POST notifications/cancelled')
  expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true })
  expect(setup.server.listLabels().filter((label) => label === 'POST initialize')).toHaveLength(1)
})

test('cancelling one call does not affect other calls of the session', async () => {
  await using setup = await setUpMcp()
  await setup.list()
  const controller = new AbortController()
  const cancelledCall = setup.call('slow', {}, { signal: controller.signal })
  setup.server.script('tools/call', { kind: 'quiet-events' })
  const runningCall = setup.call('echo', { text: 'hi' })
  await setup.server.received('POST tools/call', 2)
  controller.abort()
  expect(await cancelledCall).toMatchObject({ reason: 'cancelled' })
  const thirdOutcome = await setup.call('echo', { text: 'third' })
  expect(thirdOutcome).toMatchObject({ ok: true, bodyText: 'third' })
  setup.clock.advance(5000)
  await Promise.race([runningCall, cancelledCall])
})

test('concurrent calls share one handshake, and cancelling one of them does not end it', async () => {
  await using setup = await setUpMcp()
  const controller = new AbortController()
  const firstCall = setup.call('echo', { text: 'first' }, { signal: controller.signal })
  const secondCall = setup.call('echo', { text: 'second' })
  controller.abort()
  expect(await firstCall).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(await secondCall).toMatchObject({ ok: true, bodyText: 'second' })
  expect(setup.server.listLabels().filter((label) => label === 'POST initialize')).toHaveLength(1)
})

test('the failure for an unreachable server contains no address', async () => {
  await using setup = await setUpMcp()
  await setup.call('echo', { text: 'hi' })
  await setup.server.close()
  const outcome = await setup.call('echo', { text: 'hi' })
  expect(outcome).toMatchObject({ ok: false, reason: 'network' })
  expect(JSON.stringify(outcome)).not.toContain('127.0.0.1')
})

test('closing the client cancels running calls and handshakes', async () => {
  await using setup = await setUpMcp()
  const call = setup.call('slow')
  await setup.server.received('POST tools/call')
  setup.server.script('initialize', { kind: 'hang' })
  const connectingCall = setup.call('echo', {}, { server: { headers: { 'x-key': 'other' } } })
  await setup.server.received('POST initialize', 2)
  await setup.client.close()
  expect(await call).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(await connectingCall).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(await setup.call('echo')).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(setup.server.sessionCount).toBe(0)
  expect(setup.clock.timerCount).toBe(0)
})
