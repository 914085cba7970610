import { describe, expect, test } from 'vitest'
import { setUpMcp } from './mcp-test-kit.ts'

const GREETING = ['POST initialize', 'POST notifications/initialized']

describe('the tools of a server', () => {
  test('are listed with what their arguments are', async () => {
    await using setup = await setUpMcp()
    const listed = await setup.list()
    expect(listed.ok && listed.tools.slice(0, 3)).toEqual([
      {
        name: 'echo',
        description: 'Says the same.',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
      expect.objectContaining({ name: 'add', description: 'Adds two numbers.' }),
      { name: 'slow', description: '', inputSchema: { type: 'object' } },
    ])
    expect(setup.server.labels()).toEqual([...GREETING, 'POST tools/list'])
  })

  test.each([
    [25, 33, 4],
    [1100, 1000, 100],
  ])('come over several pages: of %i more %i are told, with %i requests', async (moreTools, told, pages) => {
    await using setup = await setUpMcp({ moreTools })
    const listed = await setup.list()
    expect(listed.ok && new Set(listed.tools.map(({ name }) => name)).size).toBe(told)
    expect(setup.server.labels().filter((label) => label === 'POST tools/list')).toHaveLength(pages)
  })

  test('end even when each page names a next one', async () => {
    await using setup = await setUpMcp({ endlessPages: true })
    const listed = await setup.list()
    expect(listed.ok && listed.tools).toHaveLength(8)
    expect(setup.server.labels().filter((label) => label === 'POST tools/list')).toHaveLength(100)
  })

  test('cannot be told by a server that refuses', async () => {
    await using setup = await setUpMcp()
    setup.server.script('tools/list', { kind: 'error', message: 'No tools for you.' })
    expect(await setup.list()).toMatchObject({
      ok: false,
      reason: 'protocol',
      message: 'The MCP server refused: No tools for you.',
    })
  })
})

describe('a call', () => {
  test.each([
    ['echo', { text: 'Grüße' }, { ok: true, bodyText: 'Grüße' }],
    ['add', { a: 1, b: 2 }, { ok: true, bodyText: '{"sum":3}' }],
    ['fails', {}, { ok: false, reason: 'tool-error', message: 'No order 7 exists.' }],
    ['fails_silently', {}, { ok: false, reason: 'tool-error', message: 'The tool failed without saying why.' }],
    ['unknown', {}, { ok: false, reason: 'tool-error', message: 'There is no tool "unknown".' }],
    ['huge', {}, { ok: false, reason: 'too-large' }],
    // What the server asks of us on the way is refused, and the call goes on.
    ['asks', {}, { ok: true, bodyText: 'The client refused.' }],
  ])('of %s with %j', async (toolName, args, expected) => {
    for (const answersJson of [false, true]) {
      if (answersJson && toolName === 'asks') continue
      await using setup = await setUpMcp({ answersJson })
      expect(await setup.call(toolName, args)).toMatchObject(expected)
    }
  })

  test('tells what is no text in brackets, and never holds U+0000', async () => {
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

  test('carries headers and parameters of the setting, except those of the protocol', async () => {
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
    [{ url: 'nothing' }, 'not a valid URL'],
    [{ url: 'ftp://127.0.0.1/' }, 'Only http and https'],
    [{ url: 'http://a:secret@127.0.0.1/' }, 'must not hold a user name'],
    [{ headers: { 'X-A': 'a\nb' } }, 'X-A'],
    [{ url: 'http://10.0.0.7/mcp' }, 'Only public addresses'],
  ])('to %j is a failure', async (server, message) => {
    await using setup = await setUpMcp()
    const outcome = await setup.call('echo', { text: 'hi' }, { server })
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(message) })
    expect(JSON.stringify(outcome)).not.toMatch(/secret|10\.0/)
  })
})

describe('a session', () => {
  test('serves calls of one setting, after one another and at the same time, and ends when it is idle', async () => {
    await using setup = await setUpMcp()
    const calls = Array.from({ length: 5 }, (_, number) => setup.call('echo', { text: `${number}` }))
    expect((await Promise.all(calls)).map((outcome) => outcome.ok && outcome.bodyText)).toEqual([...'01234'])
    await setup.list()
    expect(setup.server.labels().filter((label) => GREETING.includes(label))).toEqual(GREETING)
    expect(setup.server.labels()).not.toContain('GET')
    expect(setup.server.sessionCount).toBe(1)
    setup.clock.advance(59_999)
    await setup.call('echo', { text: 'again' })
    setup.clock.advance(60_000)
    await setup.server.received('DELETE')
    expect(setup.server.labels().filter((label) => label === 'POST initialize')).toHaveLength(1)
    expect(setup.clock.timerCount).toBeLessThanOrEqual(1)
  })

  test('is not shared between settings with other credentials', async () => {
    await using setup = await setUpMcp()
    for (const key of ['a', 'b', 'a'])
      await setup.call('echo', { text: 'x' }, { server: { headers: { 'x-key': key } } })
    await setup.call('echo', { text: 'x' }, { server: { queryParams: { key: 'a' } } })
    expect(setup.server.sessionCount).toBe(3)
    const calls = setup.server.requests.filter(({ label }) => label === 'POST tools/call')
    expect(calls.map(({ headers }) => headers['x-key'])).toEqual(['a', 'b', 'a', undefined])
    expect(calls[0]?.headers['mcp-session-id']).toBe(calls[2]?.headers['mcp-session-id'])
  })

  test('is begun anew when the server has forgotten it, and the call is made once', async () => {
    await using setup = await setUpMcp()
    await setup.call('echo', { text: 'one' })
    setup.server.forgetSessions()
    expect(await setup.call('echo', { text: 'two' })).toMatchObject({ ok: true, bodyText: 'two' })
    expect(setup.server.sessionCount).toBe(1)
    setup.server.script('tools/call', { kind: 'status', status: 404 }, { kind: 'status', status: 404 })
    expect(await setup.call('echo', { text: 'three' })).toMatchObject({ ok: false, reason: 'protocol' })
    expect(await setup.call('echo', { text: 'four' })).toMatchObject({ ok: true })
  })

  test('is not needed', async () => {
    await using setup = await setUpMcp({ isStateless: true })
    expect(await setup.list()).toMatchObject({ ok: true })
    setup.server.script('tools/call', { kind: 'status', status: 404 })
    expect(await setup.call('echo', { text: 'x' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('404'),
    })
  })

  test('of the longest unused settings ends when there are too many', async () => {
    await using setup = await setUpMcp({ answersJson: true })
    for (let number = 0; number < 203; number++) {
      await setup.call('echo', { text: 'x' }, { server: { queryParams: { number: `${number}` } } })
    }
    await setup.server.received('DELETE', 3)
    const ended = setup.server.requests.filter(({ label }) => label === 'DELETE')
    expect(ended.map(({ path }) => path)).toEqual([0, 1, 2].map((number) => `/mcp?number=${number}`))
  })
})
