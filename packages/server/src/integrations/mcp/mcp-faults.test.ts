import { describe, expect, test } from 'vitest'
import type { McpFault } from '../../../../../testing/mcp-server/mcp-fault.ts'
import { setUpMcp } from './mcp-test-kit.ts'

const FAULTS: readonly [McpFault, string, RegExp][] = [
  [{ kind: 'status', status: 401 }, 'protocol', /status 401/],
  [{ kind: 'status', status: 500 }, 'protocol', /status 500/],
  [{ kind: 'redirect', to: 'http://169.254.169.254/latest' }, 'blocked-target', /redirects elsewhere/],
  [{ kind: 'redirect', to: '//10.0.0.1/mcp', status: 302 }, 'blocked-target', /redirects elsewhere/],
  [{ kind: 'redirect', to: 'file:///etc/passwd' }, 'blocked-target', /redirects elsewhere/],
  [{ kind: 'no-json' }, 'protocol', /Model Context Protocol/],
  [{ kind: 'other-json' }, 'protocol', /Model Context Protocol/],
  [{ kind: 'wrong-result' }, 'protocol', /Model Context Protocol/],
  [{ kind: 'html' }, 'protocol', /content of a type/],
  [{ kind: 'no-http' }, 'network', /not valid HTTP/],
  [{ kind: 'endless-events' }, 'too-large', /too many messages/],
  [{ kind: 'ping-flood' }, 'too-large', /asks for too much/],
]

/** Nothing comes any more, but what has come is taken apart first. */
const ENDS: readonly [McpFault, string, RegExp][] = [
  [{ kind: 'other-id' }, 'network', /ended its answer/],
  [{ kind: 'accepted' }, 'network', /ended its answer/],
  [{ kind: 'ended-events' }, 'network', /ended its answer/],
  [{ kind: 'cut-events' }, 'network', /closed the connection/],
]

describe.each([
  ['calling a tool', 'tools/call'],
  ['greeting', 'initialize'],
])('while %s', (_, method) => {
  test.each(FAULTS)('%j', async (fault, reason, message) => {
    await using setup = await setUpMcp()
    setup.server.script(method, fault)
    const outcome = await setup.call('echo', { text: 'hi' })
    expect(outcome).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) })
    expect(JSON.stringify(outcome)).not.toMatch(/127\.0|169\.254|10\.0|passwd/)
    expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true, bodyText: 'hi' })
  })

  test.each(ENDS)('%j', async (fault, reason, message) => {
    await using setup = await setUpMcp()
    if (method !== 'initialize') await setup.list()
    setup.server.script(method, fault)
    const outcome = setup.call('echo', { text: 'hi' })
    await setup.clock.waitForTimer(250)
    setup.clock.advance(250)
    expect(await outcome).toMatchObject({ ok: false, reason, message: expect.stringMatching(message) })
    expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true, bodyText: 'hi' })
  })

  test.each<McpFault>([{ kind: 'hang' }, { kind: 'quiet-events' }])('%j: the time is over', async (fault) => {
    await using setup = await setUpMcp()
    setup.server.script(method, fault)
    const outcome = setup.call('echo', { text: 'hi' })
    await setup.server.received(`POST ${method}`)
    setup.clock.advance(5000)
    expect(await outcome).toMatchObject({
      ok: false,
      reason: 'timeout',
      message: 'The MCP server did not answer within 5000 ms.',
      durationMs: 5000,
    })
    await setup.server.abandoned()
    expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true })
  })
})

test('the answer comes over a stream that is asked for again', async () => {
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

test('a redirect within the server is followed, with the credentials', async () => {
  await using setup = await setUpMcp()
  setup.server.script('tools/call', { kind: 'redirect', to: '/moved' })
  const server = { headers: { authorization: 'Bearer t' } }
  expect(await setup.call('echo', { text: 'hi' }, { server })).toMatchObject({ ok: true, bodyText: 'hi' })
  expect(setup.server.requests.at(-1)).toMatchObject({ path: '/moved', headers: { authorization: 'Bearer t' } })
})

test('a call that is given up ends at once, and the server is told', async () => {
  await using setup = await setUpMcp()
  const gone = AbortSignal.abort()
  expect(await setup.call('echo', {}, { signal: gone })).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(setup.server.requests).toHaveLength(0)
  const controller = new AbortController()
  const outcome = setup.call('slow', {}, { signal: controller.signal })
  await setup.server.received('POST tools/call')
  controller.abort()
  expect(await outcome).toMatchObject({ ok: false, reason: 'cancelled', message: 'The request was cancelled.' })
  await setup.server.received('POST notifications/cancelled')
  expect(await setup.call('echo', { text: 'hi' })).toMatchObject({ ok: true })
  expect(setup.server.labels().filter((label) => label === 'POST initialize')).toHaveLength(1)
})

test('giving up one call leaves the others of the session alone', async () => {
  await using setup = await setUpMcp()
  await setup.list()
  const controller = new AbortController()
  const slow = setup.call('slow', {}, { signal: controller.signal })
  setup.server.script('tools/call', { kind: 'quiet-events' })
  const other = setup.call('echo', { text: 'hi' })
  await setup.server.received('POST tools/call', 2)
  controller.abort()
  expect(await slow).toMatchObject({ reason: 'cancelled' })
  const third = await setup.call('echo', { text: 'third' })
  expect(third).toMatchObject({ ok: true, bodyText: 'third' })
  setup.clock.advance(5000)
  await Promise.race([other, slow])
})

test('greeting once serves all who wait for it, and one who gives up spoils nothing', async () => {
  await using setup = await setUpMcp()
  const controller = new AbortController()
  const first = setup.call('echo', { text: 'first' }, { signal: controller.signal })
  const second = setup.call('echo', { text: 'second' })
  controller.abort()
  expect(await first).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(await second).toMatchObject({ ok: true, bodyText: 'second' })
  expect(setup.server.labels().filter((label) => label === 'POST initialize')).toHaveLength(1)
})

test('a server that is gone is a failure that names no address', async () => {
  await using setup = await setUpMcp()
  await setup.call('echo', { text: 'hi' })
  await setup.server.close()
  const outcome = await setup.call('echo', { text: 'hi' })
  expect(outcome).toMatchObject({ ok: false, reason: 'network' })
  expect(JSON.stringify(outcome)).not.toContain('127.0.0.1')
})

test('closing ends calls under way, and greetings, as values', async () => {
  await using setup = await setUpMcp()
  const call = setup.call('slow')
  await setup.server.received('POST tools/call')
  setup.server.script('initialize', { kind: 'hang' })
  const greeting = setup.call('echo', {}, { server: { headers: { 'x-key': 'other' } } })
  await setup.server.received('POST initialize', 2)
  await setup.client.close()
  expect(await call).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(await greeting).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(await setup.call('echo')).toMatchObject({ ok: false, reason: 'cancelled' })
  expect(setup.server.sessionCount).toBe(0)
  expect(setup.clock.timerCount).toBe(0)
})
