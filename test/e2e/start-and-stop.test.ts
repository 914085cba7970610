import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { Agent as HttpAgent, request } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { OWNER_TOKEN, runServer, runToExit } from '../../testing/running-server.ts'
import { createAgent, createChat, readChat, send, test } from '../../testing/server-test.ts'

const run = promisify(execFile)

describe('the first start', () => {
  test('prints a login and a working command; the second start prints no secret', async () => {
    await using server = await runServer({ env: { BOOTSTRAP_TOKEN: '', DEMO: '' } })
    const startOutput = await server.waitForOutput('"content"')
    const token = /API token +(sk_[0-9a-f]{64})\n/.exec(startOutput)?.[1] ?? ''
    const password = /Password +(\S{12,})\n/.exec(startOutput)?.[1] ?? ''
    expect(startOutput).toMatch(/Owner +\S+@\S+\n/)
    expect(token).not.toBe('')
    expect(password).not.toBe('')
    const line = /^ {2}(curl .*\n.*\}')$/m.exec(startOutput)?.[1] ?? ''
    const { stdout } = await run('/bin/sh', ['-c', line])
    const { messages } = JSON.parse(stdout) as { messages: { role: string; content: string }[] }
    expect(messages).toMatchObject([{ role: 'assistant', content: expect.stringContaining('$15') }])
    await server.restart()
    expect(server.startOutput).not.toMatch(/sk_|Password|curl/)
    expect(server.output.split(token)).toHaveLength(3)
    const again = await server.call('GET', '/api/workspaces', { headers: { authorization: `Bearer ${token}` } })
    expect(again.status).toBe(200)
  })

  test('prints no secret that the operator chose', async () => {
    await using server = await runServer({ env: { DEMO: '1', BOOTSTRAP_PASSWORD: 'chosen-by-me' } })
    const startOutput = await server.waitForOutput('"content"')
    expect(startOutput).not.toContain(OWNER_TOKEN)
    expect(startOutput).not.toContain('chosen-by-me')
    const line = /^ {2}(printf .* curl .*\n.*\}')$/m.exec(startOutput)?.[1] ?? ''
    const running = run('/bin/sh', ['-c', line], { env: { PATH: process.env.PATH } })
    running.child.stdin?.end(`${OWNER_TOKEN}\n`)
    const { stdout } = await running
    const [prompt = '', answer = ''] = stdout.split(/(?<=token: )/)
    expect([prompt, JSON.parse(answer)]).toMatchObject(['API token: ', { messages: [{ role: 'assistant' }] }])
  })

  test('on all interfaces prints an address that browsers can open', async () => {
    await using server = await runServer({ env: { HOST: '0.0.0.0' } })
    expect(new URL(server.url).hostname).toBe('127.0.0.1')
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })
})

test('a start makes data files private to the user of the server', async () => {
  await using server = await runServer({ embedded: true })
  const folder = server.dataDirectory
  const modes = async (): Promise<readonly number[]> => {
    const names = (await readdir(folder)).filter((name) => name.startsWith('parley.db') || name === 'secret.key')
    return await Promise.all([folder, ...names.map((name) => join(folder, name))].map(modeOf))
  }
  expect(new Set((await modes()).slice(1))).toEqual(new Set([0o600]))
  await chmod(folder, 0o755)
  for (const name of ['parley.db', 'secret.key']) await chmod(join(folder, name), 0o644)
  await server.restart()
  const [folderMode, ...fileModes] = await modes()
  expect([folderMode, new Set(fileModes)]).toEqual([0o700, new Set([0o600])])
})

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe('a failed start', () => {
  test('in a data folder in use names the other process', async () => {
    await using server = await runServer({ embedded: true })
    const exit = await runToExit({ PORT: '0', DATA_DIR: server.dataDirectory })
    expect(exit).toMatchObject({ code: 1, stdout: '' })
    expect(exit.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^Another Parley \\(process ${server.pid}, .+ is already using .+DATA_DIR\\.$`)),
    ])
    expect((await server.call('GET', '/api/workspaces')).status).toBe(200)
  })

  test('on a port in use names the port', async ({ server }) => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'parley-port-'))
    const { port } = new URL(server.url)
    const exit = await runToExit({ PORT: port, DATA_DIR: dataDirectory, DEMO: '0' })
    expect(exit).toMatchObject({ code: 1, stdout: '' })
    expect(exit.stderr.trim().split('\n')).toEqual([expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`)])
    // Only the first successful start shows the login.
    {
      await using next = await runServer({ dataDirectory })
      expect(next.startOutput).toContain('Owner ')
      expect(next.startOutput).toContain('Password ')
    }
    await rm(dataDirectory, { recursive: true })
  })

  test('with invalid settings prints one line for each', async () => {
    const exit = await runToExit({
      PORT: '70000',
      DATA_DIR: '/nonexistent/never',
      SECRET_KEY: 'short',
      BOOTSTRAP_TOKEN: 'with a blank in it',
      LOG_LEVEL: 'loud',
      OPENAI_BASE_URL: 'ftp://example.com',
      CHECK_ANSWERS: 'maybe',
    })
    expect(exit).toMatchObject({ code: 1, stdout: '' })
    const [first, ...lines] = exit.stderr.trim().split('\n')
    expect(first).toBe('The configuration is not valid:')
    expect(lines.map((line) => line.trim().split(':')[0])).toEqual([
      'PORT',
      'LOG_LEVEL',
      'CHECK_ANSWERS',
      'SECRET_KEY',
      'BOOTSTRAP_TOKEN',
      'OPENAI_BASE_URL',
    ])
    expect(exit.stderr).not.toMatch(/short|blank in it|\n +at /)
  })

  test.for([
    ['an invalid private target', { ALLOW_PRIVATE_TARGETS: '10.0.0.0/99' }, /10\.0\.0\.0\/99/],
    ['a missing price list', { PRICES_FILE: '/nonexistent/prices.json' }, /\/nonexistent\/prices\.json/],
    ['a missing turn model', { SMART_TURN_MODEL: '/nonexistent.onnx' }, /^SMART_TURN_MODEL: .*\/nonexistent\.onnx/],
    ['a data folder that cannot be created', { DATA_DIR: '/dev/null/data' }, /\/dev\/null\/data/],
    ['a common password', { BOOTSTRAP_PASSWORD: 'Password123' }, /^BOOTSTRAP_PASSWORD: must not be one of the most/],
    ['an address of another machine', { HOST: '203.0.113.1' }, /203\.0\.113\.1/],
  ] as const)('with %s prints one clear line', async ([, settings, expected]) => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'parley-start-'))
    const exit = await runToExit({ PORT: '0', DATA_DIR: dataDirectory, DEMO: '0', ...settings })
    await rm(dataDirectory, { recursive: true })
    expect(exit).toMatchObject({ code: 1, stdout: '' })
    expect(exit.stderr).toMatch(expected)
    expect(exit.stderr.trim().split('\n')).toHaveLength(1)
  })
})

test.for([
  [
    'an invalid database file',
    'parley.db',
    'This is a shopping list, not a database file.',
    /parley\.db cannot be opened: .+/,
  ],
  ['a key that is too short', 'secret.key', 'short', /secret\.key must hold at least 32 characters/],
] as const)('%s stops the start with one line', async ([, name, content, expected]) => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'parley-broken-'))
  await writeFile(join(dataDirectory, name), content)
  const exit = await runToExit({ PORT: '0', DATA_DIR: dataDirectory, DEMO: '0' })
  await rm(dataDirectory, { recursive: true })
  expect(exit).toMatchObject({ code: 1, stdout: '' })
  expect(exit.stderr.trim()).toMatch(expected)
  expect(exit.stderr.trim().split('\n')).toHaveLength(1)
})

describe('SIGTERM', () => {
  test('exits with 0 while a client keeps its connection open', async () => {
    await using server = await runServer()
    const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 })
    const { socket } = await ping(server.url, agent)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    expect(await server.stop()).toEqual({ code: 0, signal: null })
    await closed
    agent.destroy()
  })

  test('lets a running turn finish and deliver its full reply', async () => {
    await using model = await startModelServer()
    await using server = await runServer({ env: { OPENAI_BASE_URL: `${model.url}/v1` } })
    const chat = await createChat(server, await createAgent(server, {}, { model: 'openai/any' }))
    model.script({ text: 'One two three four five six seven eight.', delayPerWordMs: 40 })
    const plain = send(server, 'POST', `/api/chats/${chat.chatId}/completions`, { content: 'Count' })
    await model.request(0)
    const exit = server.stop()
    const answer = await plain
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ messages: [{ content: 'One two three four five six seven eight.' }] })
    expect(await exit).toEqual({ code: 0, signal: null })
    await server.start()
    const { messages } = await readChat(server, chat.chatId)
    expect(messages.map(({ role, incomplete }) => [role, incomplete])).toEqual([
      ['user', false],
      ['assistant', false],
    ])
  })

  test('cuts off a turn that takes too long and keeps its partial reply', async () => {
    await using model = await startModelServer()
    const env = { OPENAI_BASE_URL: `${model.url}/v1`, SHUTDOWN_TIMEOUT_MS: '300' }
    await using server = await runServer({ env })
    const chat = await createChat(server, await createAgent(server, {}, { model: 'openai/any' }))
    model.script({ fault: 'hang', after: 'words', words: 3 })
    const { events } = await server.stream('POST', `/api/chats/${chat.chatId}/completions`, {
      body: { workspaceId: server.workspaceId, content: 'Count' },
    })
    for await (const { event } of events) if (event === 'message.delta') break
    expect(await server.stop()).toEqual({ code: 0, signal: null })
    expect(await (await model.request(0)).closed).toBe('early')
    await server.start()
    const { messages } = await readChat(server, chat.chatId)
    expect(messages.map(({ role, incomplete }) => [role, incomplete])).toEqual([
      ['user', false],
      ['assistant', true],
    ])
  })
})

test('the probes and the OpenAPI document need no token', async ({ server }) => {
  const options = { headers: { authorization: '' } }
  expect(await server.call('GET', '/healthz', options)).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await server.call('GET', '/readyz', options)).toMatchObject({ status: 200, body: { status: 'ready' } })
  expect(await server.call('GET', '/metrics', options)).toMatchObject({ status: 404 })
  const { status, body } = await server.call<{ openapi: string; paths: object }>('GET', '/openapi.json', options)
  expect(status).toBe(200)
  expect(body.openapi).toMatch(/^3\.1/)
  expect(Object.keys(body.paths)).toContain('/api/chats/{chatId}/completions')
})

test('the dashboard has the brand of the requested host', async ({ server }) => {
  const { body } = await server.call<{ workspaces: { accountSid: string }[] }>('GET', '/api/workspaces')
  const tenantId = body.workspaces[0]?.accountSid
  const brand = { tenantId, productName: 'Voices & <Co>', domain: 'voices.example.com' }
  expect((await server.call('PATCH', '/api/branding', { body: brand })).status).toBe(200)
  const proof = { tenantId, vouch: true }
  expect((await server.call('POST', '/api/branding/domain/verify', { body: proof })).status).toBe(200)
  const page = await readPage(`${server.url}/1/agents`, 'voices.example.com')
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<title>Voices &amp; &lt;Co&gt;</title>') })
  expect((await readPage(server.url, 'localhost')).text).toContain('<title>Parley</title>')
  const script = /<script type="module"[^>]* src="([^"]+)"/.exec(page.text)?.[1] ?? ''
  expect((await fetch(`${server.url}${script}`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8')
})

/** Requests a page with another host name, as a browser would. */
function readPage(url: string, host: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host, accept: 'text/html' } }, (response) => {
      readText(response).then((body) => resolve({ status: response.statusCode, text: body }), reject)
    })
      .once('error', reject)
      .end()
  })
}

function ping(url: string, agent: HttpAgent): Promise<{ socket: Socket }> {
  return new Promise((resolve, reject) => {
    request(`${url}/healthz`, { agent }, (response) => {
      const { socket } = response
      response.resume().once('end', () => resolve({ socket }))
    })
      .once('error', reject)
      .end()
  })
}
