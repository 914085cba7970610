import { expect, test } from 'vitest'
import { runServer } from '../../testing/running-server.ts'
import { expectBody } from '../../testing/server-test.ts'

const EMAIL = 'owner@example.com'
const PASSWORD = 'correct horse battery'
const OWNER = { BOOTSTRAP_EMAIL: EMAIL, BOOTSTRAP_PASSWORD: PASSWORD }
const NO_TOKEN = { authorization: '' }

interface AuditEntry {
  readonly operation: string
  readonly ip: string
  readonly userId: string
}

/** Returns the response's cookie as browsers send it. */
const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';', 1)[0] ?? ''

test('an invited person chooses a password, logs in, accepts, creates a token, and loses all access again', async () => {
  await using server = await runServer({ env: OWNER })
  const { host } = new URL(server.url)
  const members = `/api/workspaces/${server.workspaceId}/members`
  const invited = await expectBody<{ inviteUrl: string; userId: string }>(
    201,
    server.call('POST', members, { body: { email: 'ann@example.com', role: 'editor' } }),
  )
  expect(invited.inviteUrl.startsWith(`${server.url}/accept-invitation#token=`)).toBe(true)
  const token = invited.inviteUrl.split('#token=')[1]
  const reset = { headers: NO_TOKEN, body: { token, newPassword: 'another long password' } }
  expect((await server.call('POST', '/api/auth/reset-password', reset)).status).toBe(204)
  expect((await server.call('POST', '/api/auth/reset-password', reset)).body).toMatchObject({ code: 'link_invalid' })

  const login = await server.call('POST', '/api/auth/login', {
    headers: NO_TOKEN,
    body: { email: 'Ann@example.com', password: 'another long password' },
  })
  expect(login.status).toBe(200)
  expect(login.headers.get('set-cookie')).toMatch(
    /^parley_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const cookie = cookieOf(login.headers)
  const browser = { ...NO_TOKEN, cookie, origin: `http://${host}` }
  expect((await server.call('GET', '/api/auth/session', { headers: browser })).body).toMatchObject({ workspaces: [] })
  const acceptance = { headers: browser, body: { token } }
  expect((await server.call('POST', '/api/v1/auth/accept-invitation', acceptance)).body).toEqual({
    workspaceId: server.workspaceId,
    tenantId: null,
    providerId: null,
  })
  const session = await expectBody(200, server.call('GET', '/api/auth/session', { headers: browser }))
  expect(session).toMatchObject({
    user: { email: 'ann@example.com', role: 'end_user' },
    workspaces: [{ id: server.workspaceId, level: 'editor' }],
  })

  const foreignOrigin = { ...browser, origin: 'https://evil.example' }
  const noOrigin = { ...NO_TOKEN, cookie }
  const body = { name: 'Mine', scopes: ['read'] }
  for (const headers of [foreignOrigin, noOrigin]) {
    expect((await server.call('POST', '/api/tokens', { headers, body })).status).toBe(403)
  }
  const made = await expectBody<{ token: string; tokenId: string }>(
    201,
    server.call('POST', '/api/tokens', { headers: browser, body }),
  )
  const asToken = { headers: { authorization: `Bearer ${made.token}` } }
  expect((await server.call('GET', '/api/workspaces', asToken)).body).toMatchObject({
    workspaces: [{ id: server.workspaceId }],
  })
  expect((await server.call('DELETE', `/api/tokens/${made.tokenId}`)).status).toBe(204)
  expect((await server.call('GET', '/api/workspaces', asToken)).status).toBe(401)

  expect((await server.call('DELETE', `${members}/${invited.userId}`)).status).toBe(204)
  expect((await server.call('GET', '/api/auth/session', { headers: browser })).status).toBe(401)
  // Secrets are in no log line, and the database contains only their digests.
  for (const secret of [made.token, 'another long password', token ?? '', 'ann@example.com']) {
    expect(server.output).not.toContain(secret)
  }
})

test('password guesses are throttled, and so is the right password from the same client', async () => {
  await using server = await runServer({ env: OWNER })
  const login = (password: string) =>
    server.call('POST', '/api/auth/login', { headers: NO_TOKEN, body: { email: EMAIL, password } })
  expect((await login(PASSWORD)).status).toBe(200)
  for (let attempt = 0; attempt < 4; attempt += 1) expect((await login(`wrong ${attempt}`)).status).toBe(401)
  // After the fifth guess, each attempt waits a second, so further guesses run in parallel.
  const { promise: throttled, resolve: markThrottled } = Promise.withResolvers<void>()
  const attempts = [4, 5, 6].map(async (attempt) => {
    const { status } = await login(`wrong ${attempt}`)
    if (status === 429) markThrottled()
    return status
  })
  await Promise.race([throttled, Promise.all(attempts)])
  const refused = await login(PASSWORD)
  expect((await Promise.all(attempts)).sort()).toEqual([401, 429, 429])
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
})

test.each([
  ['0', '', '127.0.0.1', false],
  ['loopback', '', '203.0.113.7', true],
  ['0', 'https://parley.example', '127.0.0.1', true],
])('TRUST_PROXY=%s and BASE_URL=%s decide whose address and scheme count', async (setting, baseUrl, ip, isSecure) => {
  await using server = await runServer({ env: { ...OWNER, TRUST_PROXY: setting, BASE_URL: baseUrl } })
  const forwarded = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' }
  const login = await server.call('POST', '/api/auth/login', {
    headers: { ...NO_TOKEN, ...forwarded },
    body: { email: EMAIL, password: PASSWORD },
  })
  expect(login.status).toBe(200)
  expect(login.headers.get('set-cookie')?.startsWith('__Host-parley_session=')).toBe(isSecure)
  expect(login.headers.has('strict-transport-security')).toBe(isSecure)
  const entries = await expectBody<AuditEntry[]>(200, server.call('GET', '/api/audit-log'))
  expect(entries.find(({ operation }) => operation === 'login')?.ip).toBe(ip)
})
