import { describe, expect, test } from 'vitest'
import { CORRECT_PASSWORD, OWN_ORIGIN, openSessions } from './session-test-kit.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describe('a session', () => {
  test('works from login to logout', async () => {
    await using server = await openSessions()
    const response = await server.login(' Ann@Example.com')
    const user = { userId: 'ann', email: 'ann@example.com', name: 'ANN', role: 'end_user' }
    const { sessionId } = response.body
    expect(response).toMatchObject({ status: 200, body: { user, expiresAt: '2026-01-19T12:00:00.000Z' } })
    const setCookie = String(response.headers['set-cookie'])
    expect(setCookie).toMatch(/^parley_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/)
    const cookie = setCookie.split(';', 1)[0] ?? ''
    expect(JSON.stringify(response.body)).not.toContain(cookie.split('=')[1])
    const sessionRows = await server.database.read.selectFrom('sessions').selectAll().execute()
    expect(JSON.stringify(sessionRows)).not.toContain(cookie.split('=')[1])

    expect((await server.send('GET /api/auth/session', { cookie })).body).toEqual({
      user,
      sessionId,
      role: 'end_user',
      scopes: ['read', 'write', 'calls', 'admin'],
      workspaces: [
        { id: 1, level: 'viewer' },
        { id: 2, level: 'admin' },
      ],
      expiresAt: '2026-01-19T12:00:00.000Z',
    })
    expect((await server.send('POST /api/auth/logout', { cookie })).status).toBe(403)
    const out = await server.send('POST /api/auth/logout', { cookie, ...OWN_ORIGIN })
    expect(out.status).toBe(204)
    expect(String(out.headers['set-cookie'])).toContain('parley_session=; Max-Age=0')
    expect((await server.send('GET /api/auth/session', { cookie })).status).toBe(401)
    expect(await server.entries()).toEqual([
      { operation: 'login', user_id: 'ann', credential_id: sessionId, status: 200 },
      { operation: 'logout', user_id: 'ann', credential_id: sessionId, status: 204 },
    ])
  })

  test('changes the name of its own user only', async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    const rename = (name: string) => server.send('PATCH /api/auth/profile', { ...headers, ...OWN_ORIGIN }, { name })
    expect(await rename('  Ann Lee ')).toMatchObject({ status: 200, body: { userId: 'ann', name: 'Ann Lee' } })
    expect((await server.send('GET /api/auth/session', headers)).body).toMatchObject({ user: { name: 'Ann Lee' } })
    const users = await server.database.read.selectFrom('users').select('name').where('name', '=', 'Ann Lee').execute()
    expect(users).toHaveLength(1)
    expect(await rename('   ')).toMatchObject({ status: 400, body: { error: 'name: must have at least 1 character' } })
  })

  test('expires after 14 days, and its row is deleted', async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    for (const waitMs of [6 * DAY_MS, 6 * DAY_MS, 2 * DAY_MS - 1]) {
      await server.time.advance(waitMs)
      expect((await server.send('GET /api/auth/session', headers)).status).toBe(200)
    }
    await server.sweep()
    await server.time.advance(1)
    expect((await server.send('GET /api/auth/session', headers)).status).toBe(401)
    await server.addLink('bob', 'old', server.clock.now())
    await server.sweep()
    expect(await server.database.read.selectFrom('sessions').selectAll().execute()).toEqual([])
    expect(await server.database.read.selectFrom('password_links').selectAll().execute()).toEqual([])
  })

  test('expires after its idle time, and its row is deleted', async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    const status = async () => (await server.send('GET /api/auth/session', headers)).status
    await server.time.advance(6 * DAY_MS)
    expect(await status()).toBe(200)
    await server.time.advance(7 * DAY_MS - 1)
    await server.sweep()
    expect(await server.database.read.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
    await server.time.advance(1)
    expect(await status()).toBe(401)
    const otherSession = await server.enter()
    expect((await server.send('GET /api/auth/sessions', otherSession.headers)).body).toMatchObject([
      { sessionId: otherSession.sessionId },
    ])
    await server.sweep()
    expect(await server.database.read.selectFrom('sessions').select('session_id').execute()).toEqual([
      { session_id: otherSession.sessionId },
    ])
  })

  test('started over HTTPS is bound to its host and accepted only over HTTPS', async () => {
    await using server = await openSessions()
    const https = { 'x-forwarded-proto': 'https' }
    const { headers } = await server.login('ann@example.com', CORRECT_PASSWORD, https)
    expect(headers['strict-transport-security']).toBe('max-age=31536000')
    const setCookie = String(headers['set-cookie'])
    expect(setCookie).toMatch(
      /^__Host-parley_session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    const [cookie = ''] = setCookie.split(';', 1)
    const status = async (sent: object) => (await server.send('GET /api/auth/session', { ...sent })).status
    expect([await status({ cookie, ...https }), await status({ cookie })]).toEqual([200, 401])

    // An older HTTP cookie is ignored and does not block a new one.
    const plain = await server.enter()
    expect((await server.send('GET /api/auth/session', plain.headers)).headers['strict-transport-security']).toBe(
      undefined,
    )
    expect(await status({ ...plain.headers, ...https })).toBe(401)
    expect(await status({ cookie: `${plain.headers.cookie}; ${cookie}`, ...https })).toBe(200)
  })

  test('is rejected from a page of another origin', async () => {
    await using server = await openSessions()
    expect((await server.login('ann@example.com', CORRECT_PASSWORD, { origin: 'https://evil.example' })).status).toBe(
      403,
    )
    expect((await server.login('ann@example.com', CORRECT_PASSWORD, OWN_ORIGIN)).status).toBe(200)
  })
})

describe('a failed login', () => {
  test('returns the same error after a password check whatever was wrong, and stores no address', async () => {
    await using server = await openSessions()
    const cases = [
      ['ann@example.com', 'wrong'],
      ['nobody@example.com', CORRECT_PASSWORD],
      ['bob@example.com', CORRECT_PASSWORD],
      ['bob@example.com', ''],
    ] as const
    const responses = await Promise.all(cases.map(([email, password]) => server.login(email, password || 'x')))
    for (const response of responses) {
      expect(response).toMatchObject({ status: 401, code: 'unauthorized' })
      expect(response.body.error).toBe(responses[0]?.body.error)
      expect(response.headers['set-cookie']).toBeUndefined()
    }
    expect(server.verified).toHaveLength(4)
    const entries = await server.entries()
    expect(entries.map((entry) => entry.user_id).sort()).toEqual(['', 'ann', 'bob', 'bob'])
    expect(entries.every((entry) => entry.status === 401 && entry.credential_id === '')).toBe(true)
    const rows = await server.database.read.selectFrom('audit_entries').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('example.com')
  })

  test('delays its client and nobody else', async () => {
    await using server = await openSessions()
    const from = (ip: string) => ({ 'x-forwarded-for': ip })
    const [attacker, owner] = [from('2001:db8:0:1::1'), from('2001:db8:0:2::1')]
    for (let count = 0; count < 5; count += 1) {
      expect((await server.login('ann@example.com', 'wrong', attacker)).status).toBe(401)
    }
    const response = await server.login('ANN@example.com', CORRECT_PASSWORD, from('2001:db8:0:1:ffff::2'))
    expect(response).toMatchObject({ status: 429, code: 'rate_limited' })
    expect(response.headers['retry-after']).toBe('1')
    expect(server.verified).toHaveLength(5)
    expect((await server.login('ann@example.com', CORRECT_PASSWORD, owner)).status).toBe(200)
    expect((await server.login('ann@example.com', CORRECT_PASSWORD, attacker)).status).toBe(429)
    await server.time.advance(1_000)
    expect((await server.login('ann@example.com', CORRECT_PASSWORD, attacker)).status).toBe(200)
    expect((await server.login('ann@example.com', 'wrong', attacker)).status).toBe(401)
    expect((await server.login('ann@example.com', CORRECT_PASSWORD, attacker)).status).toBe(200)
  })

  test('with a password that changes during the check creates no session', async () => {
    await using server = await openSessions()
    server.during.work = () =>
      server.database.transaction((unit) => unit.updateTable('users').set({ password_hash: 'other' }).execute())
    expect((await server.login('ann@example.com')).status).toBe(401)
    expect(await server.database.read.selectFrom('sessions').selectAll().execute()).toEqual([])
  })

  test.each([[{}], [{ email: 'a', password: 5 }], [{ email: 'a'.repeat(321), password: 'x' }]])(
    'returns 400 for the body %j',
    async (body) => {
      await using server = await openSessions()
      expect((await server.send('POST /api/auth/login', {}, body)).status).toBe(400)
      expect(server.verified).toEqual([])
    },
  )
})

describe('the own sessions', () => {
  test('are listed newest first, in pages', async () => {
    await using server = await openSessions()
    const firstSession = await server.enter()
    await server.time.advance(60_000)
    const secondSession = await server.enter()
    const { body, headers } = await server.send('GET /api/auth/sessions?limit=1', firstSession.headers)
    expect(body).toEqual([
      {
        sessionId: secondSession.sessionId,
        userAgent: 'Browser/1',
        isCurrent: false,
        createdAt: '2026-01-05T12:01:00.000Z',
        lastUsedAt: '2026-01-05T12:01:00.000Z',
        expiresAt: '2026-01-19T12:01:00.000Z',
      },
    ])
    const nextPath = `/api/auth/sessions?paginationKey=${headers['x-next-pagination-key']}`
    expect((await server.send(`GET ${nextPath}`, firstSession.headers)).body).toMatchObject([
      { sessionId: firstSession.sessionId, isCurrent: true },
    ])
  })

  test('can be ended one by one, but not those of others', async () => {
    await using server = await openSessions()
    await server.addPerson('eve', { password: CORRECT_PASSWORD })
    const [currentSession, otherSession, foreignSession] = [
      await server.enter(),
      await server.enter(),
      await server.enter('eve@example.com'),
    ]
    const end = (id: string) => server.send(`DELETE /api/auth/sessions/${id}`, currentSession.headers)
    expect((await end(foreignSession.sessionId)).status).toBe(404)
    expect((await end('session_none')).status).toBe(404)
    const ended = await end(otherSession.sessionId)
    expect(ended.status).toBe(204)
    expect(ended.headers['set-cookie']).toBeUndefined()
    const status = async (headers: Record<string, string>) =>
      (await server.send('GET /api/auth/session', headers)).status
    expect([
      await status(currentSession.headers),
      await status(otherSession.headers),
      await status(foreignSession.headers),
    ]).toEqual([200, 401, 200])
    expect(String((await end(currentSession.sessionId)).headers['set-cookie'])).toContain('Max-Age=0')
    expect(await status(currentSession.headers)).toBe(401)
  })
})
