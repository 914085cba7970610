import { type RawBuilder, sql } from 'kysely'
import { describe, expect } from 'vitest'
import { execute, withDatabase } from '../../testing/server-database.ts'
import { attempt, bearer, expectNoMarker, expectRefusal, GUARDED } from '../full/access-attempt.ts'
import { entryOf, FORBIDDEN, type Refusal, refusalsOf } from '../full/access-outcome.ts'
import { makeToken, type Person } from '../full/access-people.ts'
import { type Scene, test as sceneTest } from '../full/access-scene.ts'

/** Tokens that are limited to some workspaces, and the end of tokens. */

const test = sceneTest
  .extend('limited', { scope: 'file' }, async ({ scene }) => {
    const { server, tenancy } = scene
    return (await makeToken(server, { workspaceIds: [tenancy.w2, tenancy.w4] })).token
  })
  .extend('noWorkspace', { scope: 'file' }, async ({ scene }) => {
    const { server } = scene
    const { token, tokenId } = await makeToken(server, { workspaceIds: [scene.tenancy.w2] })
    await change(scene, sql`update api_tokens set workspace_ids = '[]' where token_id = ${tokenId}`)
    return token
  })

/** Changes that only time or another process causes. */
function change({ server }: Scene, statement: RawBuilder<unknown>): Promise<void> {
  return withDatabase(server, (database) => execute(database, statement))
}

/** The owner with a token for these workspaces: an administrator of these only. */
function withWorkspaces({ people: { owner } }: Scene, workspaceIds: readonly number[]): Person {
  const levels = new Map(workspaceIds.map((id) => [id, 'admin' as const]))
  return { ...owner, role: 'end_user', administers: new Set(), levels }
}

/** Operations on data of the owner, whatever the limits of the token. */
const NOT_SELF_SERVICE = GUARDED.filter(({ name }) => name !== 'deleteToken')

describe.for(NOT_SELF_SERVICE)('$name', (operation) => {
  test('limits a token to its workspaces', async ({ scene, limited, noWorkspace }) => {
    const { server, owned, tenancy } = scene
    const tokens: readonly (readonly [string, readonly number[]])[] = [
      [limited, [tenancy.w2, tenancy.w4]],
      [noWorkspace, []],
    ]
    for (const [token, workspaceIds] of tokens) {
      const refusals: readonly Refusal[] = refusalsOf(operation, withWorkspaces(scene, workspaceIds), owned)
      if (refusals.length === 0) continue
      expectRefusal(await attempt(server, operation, { headers: bearer(token), ids: owned }), refusals)
    }
  })

  test('gives a token the data of its workspaces', async ({ scene, limited }) => {
    if (operation.method !== 'GET' || operation.name === 'listTokens') return
    const { server, second, fourth, tenancy } = scene
    for (const ids of [second, fourth]) {
      const refusals = refusalsOf(operation, withWorkspaces(scene, [tenancy.w2, tenancy.w4]), ids)
      const answer = await attempt(server, operation, { headers: bearer(limited), ids })
      expectNoMarker(answer)
      if (refusals.length > 0) expectRefusal(answer, refusals)
      else expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      if (entryOf(operation).workspace !== 'optional') continue
      expectNoMarker(await attempt(server, operation, { headers: bearer(limited), ids, path: operation.path }))
    }
  })
})

test('the list of workspaces contains what a token can access', async ({ scene, limited, noWorkspace }) => {
  const { server, tenancy, people } = scene
  const idsOf = async (token: string): Promise<number[]> => {
    const { body } = await server.call<{ workspaces: { id: number }[] }>('GET', '/api/workspaces', {
      headers: bearer(token),
    })
    return body.workspaces.map(({ id }) => id)
  }
  expect(await idsOf(limited)).toEqual([tenancy.w2, tenancy.w4])
  expect(await idsOf(noWorkspace)).toEqual([])
  expect(await idsOf(people.nobody.token)).toEqual([])
  expect(await idsOf((await makeToken(server, { scopes: ['read'] })).token)).toHaveLength(5)
})

test('a token cannot create one with more rights, workspaces or lifetime', async ({ scene: { server, tenancy } }) => {
  const limits = { scopes: ['admin', 'read'], workspaceIds: [tenancy.w2], expiresAt: '2099-01-01T00:00:00.000Z' }
  const headers = bearer((await makeToken(server, limits)).token)
  const make = (requests: object) =>
    server.call('POST', '/api/tokens', { headers, body: { name: 'Child', ...requests } })
  expectRefusal(await make({ scopes: ['write'] }), [FORBIDDEN])
  expectRefusal(await make({ workspaceIds: [tenancy.w1] }), [[403, 'workspace_forbidden']])
  expectRefusal(await make({ expiresAt: '2099-01-02T00:00:00Z' }), [FORBIDDEN])
  const { status, body } = await make({})
  expect(status).toBe(201)
  expect(body).toMatchObject({ ...limits, scopes: ['read', 'admin'] })
})

test('an Idempotency-Key counts for one workspace', async ({ scene: { server, tenancy } }) => {
  const send = (workspaceId: number, display_name = 'K') =>
    server.call('POST', '/api/v1/llms', {
      headers: { 'idempotency-key': 'mine' },
      body: { workspaceId, display_name },
    })
  expect((await send(tenancy.w2)).status).toBe(201)
  expect((await send(tenancy.w1)).status).toBe(201)
  expect((await send(tenancy.w1, 'Other')).status).toBe(422)
})

test('an Idempotency-Key of one person does not apply to another', async ({ scene: { server, people, tenancy } }) => {
  const send = (person: Person) =>
    server.call('POST', '/api/v1/llms', {
      headers: { ...bearer(person.token), 'idempotency-key': 'ours' },
      body: { workspaceId: tenancy.w1, display_name: 'K' },
    })
  const first = await send(people.editor)
  expect(first.status).toBe(201)
  const second = await send(people.admin)
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null])
  expect(second.body.llm_id).not.toBe(first.body.llm_id)
  expect((await send(people.viewer)).status).toBe(403)
})

test('a token revoked by another process stops within seconds', async ({ scene }) => {
  const { server, tenancy } = scene
  const { token, tokenId } = await makeToken(server, { scopes: ['admin'] })
  const as = { headers: bearer(token), query: { workspaceId: tenancy.w2 } }
  expect((await server.call('GET', '/api/signing-secret', as)).status).toBe(200)
  await change(scene, sql`update api_tokens set revoked_at = ${Date.now()} where token_id = ${tokenId}`)
  const until = Date.now() + 8_000
  let status = 200
  while (status === 200 && Date.now() < until) status = (await server.call('GET', '/api/signing-secret', as)).status
  expect(status).toBe(401)
})
