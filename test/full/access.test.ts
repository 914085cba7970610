import { describe, expect } from 'vitest'
import {
  ALL,
  attempt,
  bearer,
  cookieOf,
  differences,
  expectNoMarker,
  expectRefusal,
  GUARDED,
  type Headers,
  readAll,
  readTables,
  SESSION_ONLY,
} from './access-attempt.ts'
import {
  entryOf,
  FORBIDDEN,
  INVALID,
  isRight,
  NOT_FOUND,
  refusalsOf,
  UNAUTHORIZED,
  WORKSPACE_FORBIDDEN,
} from './access-outcome.ts'
import { makeToken, NAMES, SCOPES } from './access-people.ts'
import { test as sceneTest } from './access-scene.ts'
import { ROWS } from './rights-table.ts'
import { validBodyFor, validPath } from './valid-request-parts.ts'

/** Tests forbidden requests. Allowed ones have their own file, since they change the resources. */

const given = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))

const UNKNOWN_WORKSPACE_ID = 999_999

const test = sceneTest
  .extend('outsiders', { scope: 'file' }, async ({ scene: { server } }): Promise<Readonly<Record<string, Headers>>> => {
    const revoked = await makeToken(server, {})
    expect((await server.call('DELETE', `/api/tokens/${revoked.tokenId}`)).status).toBe(204)
    const expired = await makeToken(server, { expiresAt: new Date(Date.now() + 3_000).toISOString() })
    const until = Date.now() + 10_000
    let status = 200
    while (status === 200 && Date.now() < until) {
      status = (await server.call('GET', '/api/workspaces', { headers: bearer(expired.token) })).status
    }
    expect(status).toBe(401)
    return {
      'no token': { authorization: '' },
      'another scheme': { authorization: 'Basic b3duZXI6cGFzc3dvcmQ=' },
      'a word alone': { authorization: 'Bearer' },
      'an unknown token': bearer(`sk_${'0'.repeat(64)}`),
      'a revoked token': bearer(revoked.token),
      'an expired token': bearer(expired.token),
      'two tokens': { authorization: `Bearer ${revoked.token} ${expired.token}` },
      'an unknown login': { authorization: '', cookie: `parley_session=${'x'.repeat(43)}`, origin: server.url },
    }
  })
  .extend('narrow', { scope: 'file' }, async ({ scene: { server } }) => {
    const tokens: { readonly scopes: readonly string[]; readonly token: string }[] = []
    for (const scope of SCOPES) {
      const without = SCOPES.filter((other) => other !== scope)
      tokens.push({ scopes: [scope], token: (await makeToken(server, { scopes: [scope] })).token })
      tokens.push({ scopes: without, token: (await makeToken(server, { scopes: without })).token })
    }
    return tokens
  })
  // Runs last, so that the snapshot contains the tokens from above.
  .extend('before', { scope: 'file' }, async ({ scene: { server, people, owned }, outsiders, narrow }) => {
    expect(Object.keys(outsiders).length + narrow.length).toBe(16)
    return { answers: await readAll(server, people.owner, owned), tables: await readTables(server) }
  })

test('the owner can read the confidential data at first', async ({ before }) => {
  expect(JSON.stringify(before.answers)).toContain('confidential-4711')
})

describe.for(ALL.filter((operation) => entryOf(operation).row !== 'public'))('$name', (operation) => {
  const { row } = entryOf(operation)

  test('refuses requests without a valid token', async ({ scene: { server, owned }, outsiders }) => {
    for (const [name, headers] of Object.entries(outsiders)) {
      for (const alias of [false, true]) {
        expectRefusal(await attempt(server, operation, { headers, ids: owned, alias }), [UNAUTHORIZED], name)
      }
      if (operation.method !== 'GET') continue
      const head = await fetch(server.url + validPath(operation, owned), { method: 'HEAD', headers: given(headers) })
      expect([head.status, await head.text()], name).toEqual([401, ''])
    }
  })

  test('refuses a valid login with an invalid token', async ({ scene: { server, people, owned } }) => {
    const headers = { ...cookieOf(server, people.owner), ...bearer('sk_unknown') }
    expectRefusal(await attempt(server, operation, { headers, ids: owned }), [UNAUTHORIZED])
  })

  test('needs its scope', async ({ scene: { server, owned }, narrow }) => {
    for (const { scopes, token } of narrow) {
      if (isRight(row) && scopes.includes(ROWS[row].scope)) continue
      const expected = isRight(row) ? FORBIDDEN : UNAUTHORIZED
      const answer = await attempt(server, operation, { headers: bearer(token), ids: owned })
      expectRefusal(answer, [expected], scopes.join())
    }
  })

  test('refuses everyone without the right', async ({ scene: { server, people, owned } }) => {
    for (const name of NAMES) {
      const refusals = refusalsOf(operation, people[name], owned)
      if (refusals.length === 0) continue
      const headers = cookieOf(server, people[name])
      expectRefusal(await attempt(server, operation, { headers, ids: owned }), refusals, `${name} by login`)
      if (row === 'session') continue
      const token = bearer(people[name].token)
      for (const alias of [false, true]) {
        expectRefusal(await attempt(server, operation, { headers: token, ids: owned, alias }), refusals, name)
      }
    }
  })

  test('accepts writes with a login from its own pages only', async ({ scene: { server, people, owned } }) => {
    if (operation.method === 'GET') return
    for (const name of NAMES) {
      const { origin: _own, ...headers } = cookieOf(server, people[name])
      for (const origin of ['', 'https://evil.example', 'null', `${server.url}.evil.example`, 'http://127.0.0.1:1']) {
        const answer = await attempt(server, operation, { headers: { ...headers, origin }, ids: owned })
        expectRefusal(answer, [FORBIDDEN], `${name} from ${origin}`)
        expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      }
    }
  })
})

describe.for(SESSION_ONLY)('$name', (operation) => {
  test('needs a login, whatever the token', async ({ scene: { server, people, owned } }) => {
    for (const name of NAMES) {
      const headers = bearer(people[name].token)
      expectRefusal(await attempt(server, operation, { headers, ids: owned }), [UNAUTHORIZED], name)
    }
  })
})

const IN_WORKSPACE = GUARDED.filter((operation) => !['none', 'inferred'].includes(entryOf(operation).workspace))

describe.for(IN_WORKSPACE)('$name', (operation) => {
  test('refuses existing and unknown workspaces with the same message', async ({
    scene: { server, people, owned },
  }) => {
    for (const name of NAMES) {
      const headers = bearer(people[name].token)
      const unknownAnswer = await attempt(server, operation, { headers, ids: owned, workspaceId: UNKNOWN_WORKSPACE_ID })
      const refusals = refusalsOf(operation, people[name], { ...owned, workspaceId: UNKNOWN_WORKSPACE_ID })
      expect(refusals).toContainEqual(WORKSPACE_FORBIDDEN)
      expectRefusal(unknownAnswer, refusals, name)
      if (people[name].levels.has(owned.workspaceId)) continue
      const existing = await attempt(server, operation, { headers, ids: owned })
      const words = String(existing.body.error).replace(`workspace ${owned.workspaceId}`, 'it')
      expect([existing.status, existing.body.code, words]).toEqual([
        unknownAnswer.status,
        unknownAnswer.body.code,
        String(unknownAnswer.body.error).replace(`workspace ${UNKNOWN_WORKSPACE_ID}`, 'it'),
      ])
    }
  })
})

/** Operations on existing resources. `putWorkspaceSecret` creates a missing secret instead. */
const WITH_IDS = GUARDED.filter(
  ({ path, name }) => path.replace('{workspaceId}', '').includes('{') && name !== 'putWorkspaceSecret',
)

describe.for(WITH_IDS.filter((operation) => entryOf(operation).workspace !== 'none'))('$name', (operation) => {
  test('does not find resources of another workspace', async ({ scene: { server, people, owned, tenancy } }) => {
    // The resource determines its workspace, so everyone with access to that workspace finds it.
    const isInferred = entryOf(operation).workspace === 'inferred'
    for (const name of isInferred
      ? (['otherAdmin'] as const)
      : (['otherAdmin', 'firstTenantAdmin', 'owner'] as const)) {
      const headers = bearer(people[name].token)
      const answer = await attempt(server, operation, { headers, ids: owned, workspaceId: tenancy.w2 })
      const { row } = entryOf(operation)
      const isAbove = row === 'providers' ? name !== 'owner' : row === 'account' && name === 'otherAdmin'
      expectRefusal(answer, [isAbove ? FORBIDDEN : NOT_FOUND], name)
    }
  })
})

const WITH_BODY = GUARDED.filter(({ body, name }) => body !== undefined && !name.startsWith('validate'))

describe.for(WITH_BODY)('$name', (operation) => {
  test('refuses resources of another workspace in its body', async ({ scene: { server, people, owned, second } }) => {
    const ids = { ...owned, workspaceId: second.workspaceId }
    const text = JSON.stringify(validBodyFor(operation, ids))
    const { llmId, agentId } = owned.values
    if (![llmId, agentId].some((id) => text.includes(id))) return
    for (const name of ['otherAdmin', 'owner'] as const) {
      const headers = bearer(people[name].token)
      const answer = await attempt(server, operation, { headers, ids: second, body: JSON.parse(text) as object })
      expectRefusal(answer, [INVALID, NOT_FOUND], name)
    }
  })
})

const READS = GUARDED.filter(({ method }) => method === 'GET')

describe.for(READS)('$name', (operation) => {
  test('reveals nothing of workspace 1 to outsiders', async ({ scene: { server, people, second, third, fourth } }) => {
    const outsiders = [
      { name: 'otherAdmin', ids: second },
      { name: 'secondTenantAdmin', ids: third },
      { name: 'secondResellerAdmin', ids: fourth },
      { name: 'nobody', ids: second },
    ] as const
    for (const { name, ids } of outsiders) {
      const person = people[name]
      const headers = bearer(person.token)
      const answer = await attempt(server, operation, { headers, ids })
      expectNoMarker(answer, name)
      const refusals = refusalsOf(operation, person, ids)
      if (refusals.length > 0) expectRefusal(answer, refusals, name)
      else expect(answer.status, `${name} ${JSON.stringify(answer.body)}`).toBe(200)
      if (entryOf(operation).workspace !== 'optional') continue
      // Without a workspace, the response covers everything that the person can access.
      expectNoMarker(await attempt(server, operation, { headers, ids, path: operation.path }), name)
    }
  })
})

test('nothing has changed, and the owner reads the same data', async ({ scene: { server, people, owned }, before }) => {
  expect(differences(before.tables, await readTables(server))).toEqual([])
  expect(differences(before.answers, await readAll(server, people.owner, owned))).toEqual([])
})
