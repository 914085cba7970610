import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatWelcome } from './welcome.ts'

const run = promisify(execFile)
const OWNER = { email: 'me@example.com', password: 'made-password', token: 'sk_made', workspaceId: 1 }
const GIVEN_SETTINGS = { token: 'token-of-the-operator', email: 'me@example.com', password: 'password-of-the-operator' }
const EMPTY_SETTINGS = { ...GIVEN_SETTINGS, token: undefined, password: undefined }
const LOCAL = 'http://127.0.0.1:4100'
const PUBLIC = 'https://voice.example.com'

/** Starts a server that responds with the received request. */
async function startEcho(): Promise<string> {
  const server = createServer((request, response) => {
    response.end(JSON.stringify([request.method, request.url, request.headers.authorization]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('welcome', () => {
  test.for([
    ['a generated token', null, EMPTY_SETTINGS, 'sk_made'],
    ['a generated token and a chat', 'chat_1', EMPTY_SETTINGS, 'sk_made'],
    ['a given token', null, GIVEN_SETTINGS, 'typed-token'],
    ['a given token and a chat', 'chat_1', GIVEN_SETTINGS, 'typed-token'],
  ] as const)('with %s prints a command that works in a new terminal', async ([, chatId, settings, token]) => {
    const publicUrl = await startEcho()
    const text = formatWelcome({ url: LOCAL, publicUrl, owner: OWNER, chatId, bootstrap: settings })
    const [, shellCommand = ''] = text.split(/^Or try the API.*:\n\n {2}/m)
    const child = run('/bin/sh', ['-c', shellCommand], { env: { PATH: process.env.PATH } })
    child.child.stdin?.end('typed-token\n')
    const { stdout } = await child
    const request = chatId === null ? ['GET', '/api/workspaces'] : ['POST', '/api/chats/chat_1/completions']
    expect(JSON.parse(stdout.slice(stdout.indexOf('[')))).toEqual([...request, `Bearer ${token}`])
  })

  test.for([
    ['everything generated', EMPTY_SETTINGS, ['made-password', 'sk_made'], '(shown once; keep them)'],
    [
      'a given token',
      { ...GIVEN_SETTINGS, password: undefined },
      ['made-password', 'BOOTSTRAP_TOKEN'],
      '(shown once; keep it)',
    ],
    [
      'a given password',
      { ...GIVEN_SETTINGS, token: undefined },
      ['BOOTSTRAP_PASSWORD', 'sk_made'],
      '(shown once; keep it)',
    ],
    ['everything given', GIVEN_SETTINGS, ['BOOTSTRAP_PASSWORD', 'BOOTSTRAP_TOKEN'], ''],
  ] as const)('with %s prints only what it generated', ([, settings, [password, token], note]) => {
    const text = formatWelcome({ url: LOCAL, publicUrl: LOCAL, owner: OWNER, chatId: null, bootstrap: settings })
    expect(/Password +(.+)\n +API token +(.+)\n(?: +(\(.+\))\n)?\n/.exec(text)?.slice(1)).toEqual([
      expect.stringContaining(password),
      expect.stringContaining(token),
      note || undefined,
    ])
    expect(text).not.toMatch(/-of-the-operator/)
  })

  test('quotes an address that a shell would expand', () => {
    const publicUrl = 'http://[::1]:4100'
    const text = formatWelcome({ url: publicUrl, publicUrl, owner: OWNER, chatId: null, bootstrap: EMPTY_SETTINGS })
    expect(text).toContain(`curl -s '${publicUrl}/api/workspaces' -H`)
  })

  test('prints the public address if one is configured', () => {
    const text = formatWelcome({ url: LOCAL, publicUrl: PUBLIC, owner: OWNER, chatId: null, bootstrap: EMPTY_SETTINGS })
    expect(text).toContain(`Parley is ready at ${LOCAL}\n`)
    expect(text).toContain(`Open ${PUBLIC} in a browser`)
    expect(text).toContain(`curl -s ${PUBLIC}/api/workspaces`)
    const localText = formatWelcome({
      url: LOCAL,
      publicUrl: LOCAL,
      owner: OWNER,
      chatId: null,
      bootstrap: EMPTY_SETTINGS,
    })
    expect(localText).toContain('Open it in a browser and sign in:')
  })
})
