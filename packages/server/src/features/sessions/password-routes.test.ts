import { describe, expect, test } from 'vitest'
import { CORRECT_PASSWORD, openSessions } from './session-test-kit.ts'

const NEW_PASSWORD = 'another long password'

describe('changing the password', () => {
  test('ends all other sessions and invalidates reset links', async () => {
    await using server = await openSessions()
    const [currentSession, otherSession] = [await server.enter(), await server.enter()]
    await server.addLink('ann', 'link', server.clock.now() + 1_000)
    const body = { currentPassword: CORRECT_PASSWORD, newPassword: NEW_PASSWORD }
    expect((await server.send('POST /api/auth/password', currentSession.headers, body)).status).toBe(204)
    expect((await server.send('GET /api/auth/session', currentSession.headers)).status).toBe(200)
    expect((await server.send('GET /api/auth/session', otherSession.headers)).status).toBe(401)
    expect((await server.login('ann@example.com', CORRECT_PASSWORD)).status).toBe(401)
    expect((await server.login('ann@example.com', NEW_PASSWORD)).status).toBe(200)
    const reset = await server.send(
      'POST /api/auth/reset-password',
      {},
      { token: 'link', newPassword: CORRECT_PASSWORD },
    )
    expect(reset).toMatchObject({ status: 422, code: 'link_invalid' })
  })

  test('requires the current one and rate-limits guesses', async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    const change = (currentPassword: string) =>
      server.send('POST /api/auth/password', headers, { currentPassword, newPassword: NEW_PASSWORD })
    for (let count = 0; count < 5; count += 1) {
      const response = await change('wrong')
      expect(response).toMatchObject({ status: 400, body: { details: [{ path: 'currentPassword' }] } })
    }
    expect(await change(CORRECT_PASSWORD)).toMatchObject({ status: 429, code: 'rate_limited' })
    await server.time.advance(1_000)
    expect((await change(CORRECT_PASSWORD)).status).toBe(204)
  })

  test('fails when it was changed concurrently', async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    server.during.work = () =>
      server.database.transaction((unit) => unit.updateTable('users').set({ password_hash: 'other' }).execute())
    const body = { currentPassword: CORRECT_PASSWORD, newPassword: NEW_PASSWORD }
    expect((await server.send('POST /api/auth/password', headers, body)).status).toBe(400)
    const users = await server.database.read.selectFrom('users').select('password_hash').execute()
    expect(users.every((user) => user.password_hash === 'other')).toBe(true)
  })

  test.each(['short', 'a'.repeat(201)])('requires 10 to 200 characters, not %j', async (newPassword) => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    const body = { currentPassword: CORRECT_PASSWORD, newPassword }
    expect(await server.send('POST /api/auth/password', headers, body)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'newPassword' }] },
    })
  })
})

describe('a new password', () => {
  test('cannot be a common password or the email address', async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    await server.addLink('ann', 'link', server.clock.now() + 1_000)
    const commonPasswordMessage = 'must not be one of the most used passwords; choose another one'
    for (const [newPassword, message] of [
      ['passwordpassword', commonPasswordMessage],
      [' PassWordPassword', commonPasswordMessage],
      ['ANN@example.com', 'must not be the e-mail address; choose another password'],
    ]) {
      const change = await server.send('POST /api/auth/password', headers, {
        currentPassword: CORRECT_PASSWORD,
        newPassword,
      })
      const reset = await server.send('POST /api/auth/reset-password', {}, { token: 'link', newPassword })
      for (const response of [change, reset]) {
        expect(response).toMatchObject({ status: 400, body: { details: [{ path: 'newPassword', message }] } })
      }
    }
    // The link stays valid.
    const resetBody = { token: 'link', newPassword: NEW_PASSWORD }
    expect((await server.send('POST /api/auth/reset-password', {}, resetBody)).status).toBe(204)
  })
})

describe('confirming the password', () => {
  const MINUTE_MS = 60_000

  test('lets a session create tokens for ten minutes, as a login does', async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    const keyed = { ...headers, 'idempotency-key': 'the same for all tries' }
    const create = async () => await server.send('POST /api/tokens', keyed, { name: 'Robot' })
    const confirm = (password: string) => server.send('POST /api/auth/confirm-password', headers, { password })
    await server.time.advance(10 * MINUTE_MS)
    expect(await create()).toMatchObject({ status: 403, code: 'reauthentication_required' })
    expect(await confirm('wrong')).toMatchObject({ status: 400, body: { details: [{ path: 'password' }] } })
    expect((await create()).status).toBe(403)
    expect((await confirm(CORRECT_PASSWORD)).status).toBe(204)
    await server.time.advance(10 * MINUTE_MS - 1)
    const response = await create()
    expect(response.status).toBe(201)
    // A token needs no password to create narrower ones.
    await server.time.advance(60 * MINUTE_MS)
    const asToken = { authorization: `Bearer ${response.body.token}` }
    expect((await server.send('POST /api/tokens', asToken, { name: 'Narrower', scopes: ['read'] })).status).toBe(201)
    expect((await server.send('POST /api/auth/confirm-password', asToken, { password: CORRECT_PASSWORD })).status).toBe(
      401,
    )
  })

  test('rate-limits guesses in this session only', async () => {
    await using server = await openSessions()
    const [currentSession, otherSession] = [await server.enter(), await server.enter()]
    const confirm = (headers: Record<string, string>, password: string) =>
      server.send('POST /api/auth/confirm-password', headers, { password })
    for (let count = 0; count < 5; count += 1) expect((await confirm(currentSession.headers, 'wrong')).status).toBe(400)
    expect(await confirm(currentSession.headers, CORRECT_PASSWORD)).toMatchObject({ status: 429, code: 'rate_limited' })
    expect((await confirm(otherSession.headers, CORRECT_PASSWORD)).status).toBe(204)
  })
})

describe('a password link', () => {
  const reset = (token: string, newPassword = NEW_PASSWORD) => ({ token, newPassword })

  test("sets the password once, ends all sessions and invalidates the person's other links", async () => {
    await using server = await openSessions()
    const { headers } = await server.enter()
    const until = server.clock.now() + 60_000
    await server.addLink('ann', 'first', until)
    await server.addLink('ann', 'second', until)
    await server.addLink('bob', 'of bob', until)
    const send = (body: object) => server.send('POST /api/auth/reset-password', {}, body)
    expect(await send(reset('first'))).toMatchObject({ status: 204, body: null })
    expect((await server.send('GET /api/auth/session', headers)).status).toBe(401)
    expect((await server.login('ann@example.com', NEW_PASSWORD)).status).toBe(200)
    for (const token of ['first', 'second']) {
      expect(await send(reset(token))).toMatchObject({ status: 422, code: 'link_invalid' })
    }
    expect((await send(reset('of bob'))).status).toBe(204)
    expect((await server.login('bob@example.com', NEW_PASSWORD)).status).toBe(200)
    expect((await server.entries()).filter((entry) => entry.operation === 'resetPassword')).toEqual([
      { operation: 'resetPassword', user_id: 'ann', credential_id: 'link_first', status: 204 },
      { operation: 'resetPassword', user_id: 'bob', credential_id: 'link_of bob', status: 204 },
    ])
  })

  test('works once when it is used twice concurrently', async () => {
    await using server = await openSessions()
    await server.addLink('bob', 'link', server.clock.now() + 1)
    const responses = await Promise.all(
      [NEW_PASSWORD, CORRECT_PASSWORD].map((password) =>
        server.send('POST /api/auth/reset-password', {}, reset('link', password)),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 422])
  })

  test('is invalid when expired or unknown', async () => {
    await using server = await openSessions()
    await server.addLink('bob', 'link', server.clock.now() + 1_000)
    await server.time.advance(1_000)
    for (const token of ['link', 'unknown']) {
      const response = await server.send('POST /api/auth/reset-password', {}, reset(token))
      expect(response).toMatchObject({ status: 422, code: 'link_invalid' })
    }
  })

  test('unblocks a person who failed too often', async () => {
    await using server = await openSessions()
    for (let count = 0; count < 5; count += 1) await server.login('ann@example.com', 'wrong')
    expect((await server.login('ann@example.com', CORRECT_PASSWORD)).status).toBe(429)
    await server.addLink('ann', 'link', server.clock.now() + 1)
    await server.send('POST /api/auth/reset-password', {}, reset('link'))
    expect((await server.login('ann@example.com', NEW_PASSWORD)).status).toBe(200)
  })

  test('is rejected from a page of another origin', async () => {
    await using server = await openSessions()
    const response = await server.send('POST /api/auth/reset-password', { origin: 'https://evil.example' }, reset('a'))
    expect(response).toMatchObject({ status: 403, code: 'forbidden' })
  })
})
