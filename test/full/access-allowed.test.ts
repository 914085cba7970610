import type { Operation } from '@parley/contract/operation'
import { describe, expect } from 'vitest'
import type { ApiResponse } from '../../testing/api-client.ts'
import { ALL, type Attempt, attempt, bearer, cookieOf, expectAllowed, type Headers } from './access-attempt.ts'
import { entryOf, isRight, refusalsOf } from './access-outcome.ts'
import { logIn, makeToken, NAMES, type Person, SCOPES } from './access-people.ts'
import { type Scene, test as sceneTest } from './access-scene.ts'
import { ROWS } from './rights-table.ts'
import { OWNER_LOGIN } from './valid-account-bodies.ts'
import { unknownId, validPath, validPathValue } from './valid-request-parts.ts'

/** Permitted operations of each person, by token and by session. */

interface AccessAttempt {
  readonly operation: Operation
  readonly person: Person
  readonly headers: Headers
}

/** Tokens of the owner with one scope each. */
const test = sceneTest.extend('narrow', { scope: 'file' }, async ({ scene: { server } }) => {
  const tokens: { readonly scope: string; readonly token: string }[] = []
  for (const scope of SCOPES) tokens.push({ scope, token: (await makeToken(server, { scopes: [scope] })).token })
  return tokens
})

/** Operations that would delete shared resources. Each creates its own resource first. */
const OWN_RESOURCE_OPERATIONS: Readonly<Record<string, (scene: Scene, who: AccessAttempt) => Promise<ApiResponse>>> = {
  async deleteWorkspace({ server, owned }, { headers }) {
    const body = { name: 'Short-lived', tenantId: owned.values.tenantId }
    const created = await server.call<{ id: number }>('POST', '/api/workspaces', { body, headers })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    return await server.call('DELETE', `/api/workspaces/${created.body.id}`, { headers })
  },
  async logout({ server }, { person }) {
    const headers = cookieOf(server, await logIn(server, person.login))
    const answer = await server.call('POST', '/api/auth/logout', { headers })
    expect((await server.call('GET', '/api/auth/session', { headers })).status).toBe(401)
    return answer
  },
  async deleteSession({ server }, { person, headers }) {
    const other = await logIn(server, person.login)
    const answer = await server.call('DELETE', `/api/auth/sessions/${other.sessionId}`, { headers })
    const late = await server.call('GET', '/api/auth/session', { headers: cookieOf(server, other) })
    expect(late.status).toBe(401)
    return answer
  },
  async deleteToken({ server }, { headers }) {
    const created = await server.call<{ token: string; tokenId: string }>('POST', '/api/tokens', {
      headers,
      body: { name: 'Short-lived' },
    })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    const answer = await server.call('DELETE', `/api/tokens/${created.body.tokenId}`, { headers })
    const late = await server.call('GET', '/api/workspaces', { headers: bearer(created.body.token) })
    expect(late.status).toBe(401)
    return answer
  },
}

/** Bodies about the person who sends the request. */
function ownBody({ name }: Operation, { login }: Person): object | undefined {
  if (name === 'login') return login
  if (name === 'confirmPassword') return { password: login.password }
  return name === 'changePassword' ? { currentPassword: login.password, newPassword: login.password } : undefined
}

/** Returns the path with its last id replaced by an unknown one. */
function unknownPath(operation: Operation, scene: Scene): string {
  const [, parameter = ''] = /\{(\w+)\}[^{]*$/.exec(operation.path) ?? []
  const known = encodeURIComponent(validPathValue(operation, parameter, scene.owned))
  return validPath(operation, scene.owned).replace(known, unknownId('nothing'))
}

async function checkAllowed(scene: Scene, who: AccessAttempt): Promise<void> {
  const { operation, person, headers } = who
  const { server, owned } = scene
  const about = `${operation.name} as ${person.login.email}`
  const special = OWN_RESOURCE_OPERATIONS[operation.name]
  if (special !== undefined) {
    const { status, body } = await special(scene, who)
    expect(status, `${about} ${JSON.stringify(body)}`).toBe(204)
    return
  }
  const isDelete = operation.method === 'DELETE'
  const body = ownBody(operation, person)
  const answer = await attempt(server, operation, {
    ...({ headers, ids: owned } satisfies Attempt),
    ...(isDelete && { path: unknownPath(operation, scene) }),
    ...(body !== undefined && { body }),
  })
  expectAllowed(answer, about)
  // The next person cannot repeat a domain check, and the vendor of the scene does not speak.
  const otherStatuses: Readonly<Record<string, number>> = {
    ...{ verifyBrandDomain: 429, previewVoice: 502, getVoicePreview: 502 },
  }
  const expected = isDelete ? [404] : [operation.status, 422, otherStatuses[operation.name]]
  expect(expected, `${about} ${answer.status} ${JSON.stringify(answer.body)}`).toContain(answer.status)
}

/** Whether the operation deletes a resource that each person owns. */
const isOwn = ({ name }: Operation): boolean => name === 'deleteToken' || name === 'deleteSession'

describe.for(ALL)('$name', (operation) => {
  const { row } = entryOf(operation)

  test('is open to everyone with the right', async ({ scene, narrow }) => {
    const { server, people, owned } = scene
    let tries = 0
    for (const name of NAMES) {
      const person = people[name]
      if (refusalsOf(operation, person, owned).length > 0 && !isOwn(operation)) continue
      await checkAllowed(scene, { operation, person, headers: cookieOf(server, person) })
      if (row !== 'session') await checkAllowed(scene, { operation, person, headers: bearer(person.token) })
      tries += 1
    }
    expect(tries).toBeGreaterThan(0)
    for (const { scope, token } of narrow) {
      if (!isRight(row) || ROWS[row].scope !== scope) continue
      await checkAllowed(scene, { operation, person: people.owner, headers: bearer(token) })
    }
    if (row !== 'public') return
    for (const headers of [{ authorization: '' }, bearer('sk_unknown')]) {
      await checkAllowed(scene, { operation, person: people.owner, headers })
    }
  })
})

test('public login operations refuse other origins', async ({ scene: { server } }) => {
  const headers = { authorization: '', origin: 'https://evil.example' }
  const login = await server.call('POST', '/api/auth/login', { headers, body: OWNER_LOGIN })
  expect([login.status, login.headers.get('set-cookie')]).toEqual([403, null])
  const body = { token: 'x'.repeat(43), newPassword: 'another password' }
  expect((await server.call('POST', '/api/auth/reset-password', { headers, body })).status).toBe(403)
})
