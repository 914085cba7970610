import { describe, expect, test } from 'vitest'
import { openAccessRoutes } from '../access/access-routes-test-kit.ts'
import { registerTokenRoutes } from './token-routes.ts'
import { createTokenService } from './token-service.ts'

const openTokens = () => openAccessRoutes((api, parts) => registerTokenRoutes(api, createTokenService(parts)))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('API tokens', () => {
  test('are created, used, listed and revoked', async () => {
    await using server = await openTokens()
    const { send, time } = server
    await server.addPerson('owner', { role: 'platform_admin' })
    const headers = await server.addToken('owner')
    await time.advance(1_000)
    const created = await send('POST /api/tokens', headers, { name: 'Robot', expires_at: '2026-01-06T12:00:00+01:00' })
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'Robot',
        scopes: ['read', 'write', 'calls', 'admin'],
        workspaceIds: null,
        expiresAt: '2026-01-06T11:00:00.000Z',
        lastUsedAt: null,
        createdAt: '2026-01-05T12:00:01.000Z',
        token: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
      },
    })
    const { token, ...listed } = created.body
    const newTokenHeaders = bearer(token)
    const tokenRows = await server.database.read.selectFrom('api_tokens').select('token_hash').execute()
    expect(JSON.stringify(tokenRows)).not.toContain(token)
    expect((await send('GET /api/tokens', headers)).body).toMatchObject([listed, { name: 'Token of owner' }])
    expect((await send('GET /api/tokens?limit=1', newTokenHeaders)).body).toMatchObject([{ tokenId: listed.tokenId }])

    expect((await send(`DELETE /api/tokens/${listed.tokenId}`, newTokenHeaders)).status).toBe(204)
    expect((await send('GET /api/tokens', newTokenHeaders)).status).toBe(401)
    expect((await send(`DELETE /api/tokens/${listed.tokenId}`, headers)).status).toBe(404)
    expect((await send('GET /api/tokens', headers)).body).toHaveLength(1)
  })

  test('are listed in pages', async () => {
    await using server = await openTokens()
    await server.addPerson('owner', { role: 'platform_admin' })
    const headers = await server.addToken('owner')
    for (const name of ['a', 'b', 'c']) await server.send('POST /api/tokens', headers, { name })
    const names: string[] = []
    let url = '/api/tokens?limit=2'
    for (let page = 0; page < 2; page += 1) {
      const response = await server.send(`GET ${url}`, headers)
      names.push(...response.body.map((token: { name: string }) => token.name))
      url = `/api/tokens?limit=2&paginationKey=${response.headers['x-next-pagination-key']}`
    }
    expect(names).toEqual(['c', 'b', 'a', 'Token of owner'])
  })

  test.each([
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 'a'.repeat(201) }, ['name']],
    [{ name: 'a', scopes: [], workspaceIds: [], expiresAt: 'soon' }, ['scopes', 'workspaceIds', 'expiresAt']],
    [{ name: 'a', scopes: ['root'] }, ['scopes[0]']],
    [{ name: 'a', workspaceIds: [0, '1'] }, ['workspaceIds[0]', 'workspaceIds[1]']],
    [{ name: 'a', expiresAt: '2026-01-05T12:00:00Z' }, ['expiresAt']],
    [{ name: 'a', expiresAt: '2030-02-30T12:00:00Z' }, ['expiresAt']],
  ])('rejects the body %j at %j', async (body, paths) => {
    await using server = await openTokens()
    await server.addPerson('owner', { role: 'platform_admin' })
    const response = await server.send('POST /api/tokens', await server.addToken('owner'), body)
    expect(response.status).toBe(400)
    expect(response.body.details.map((detail: { path: string }) => detail.path)).toEqual(paths)
  })
})

describe('a token never creates one with more rights', () => {
  const make = async (limits: object, body: object, headers = {}) => {
    await using server = await openTokens()
    await server.addPerson('owner', { role: 'platform_admin' })
    const token = await server.addToken('owner', limits)
    return await server.send('POST /api/tokens', { ...token, ...headers }, { name: 'a', ...body })
  }

  test.each([
    [{ workspaceIds: [1, 2] }, {}, { workspaceIds: [1, 2] }],
    [{ workspaceIds: [1, 2] }, { workspaceIds: null }, { workspaceIds: [1, 2] }],
    [{ workspaceIds: [1, 2] }, { workspaceIds: [2] }, { workspaceIds: [2] }],
    [{ scopes: ['admin', 'read'] }, {}, { scopes: ['read', 'admin'] }],
    [{ expiresAt: Date.UTC(2027, 0) }, {}, { expiresAt: '2027-01-01T00:00:00.000Z' }],
    [{}, { workspaceIds: [4, 4, 1] }, { workspaceIds: [1, 4] }],
  ])('%j with %j: %j', async (limits, body, expected) => {
    expect(await make(limits, body)).toMatchObject({ status: 201, body: expected })
  })

  test.each([
    [{ workspaceIds: [1, 2] }, { workspaceIds: [1, 4] }, 'workspace_forbidden'],
    [{}, { workspaceIds: [99] }, 'workspace_forbidden'],
    [{ scopes: ['admin'] }, { scopes: ['read'] }, 'forbidden'],
    [{ scopes: ['read', 'write', 'calls'] }, {}, 'forbidden'],
    [{ expiresAt: Date.UTC(2027, 0) }, { expiresAt: '2027-01-01T00:00:00.001Z' }, 'forbidden'],
  ])('%j with %j is rejected: %s', async (limits, body, code) => {
    expect(await make(limits, body)).toMatchObject({ status: 403, code })
  })

  test.each([
    [{ 'x-actor-type': 'end_user' }, [1, 2, 4]],
    [{ 'x-tenant-id': '00000000-0000-4000-8000-00000000000b' }, [4]],
    [{ 'x-workspace-id': '2' }, [2]],
    [{ 'x-provider-id': 'provider_other' }, [4]],
  ])('within the context %j it is limited to %j', async (headers, workspaceIds) => {
    expect(await make({}, {}, headers)).toMatchObject({ status: 201, body: { workspaceIds } })
  })
})

describe('a token with fewer rights', () => {
  async function openRelatedTokens() {
    const server = await openTokens()
    await server.addPerson('lead', { members: { 1: 'admin', 2: 'viewer' } })
    await server.addPerson('ann', { members: { 1: 'editor' } })
    const idOf = (token: { readonly authorization: string }): string => token.authorization.replace('Bearer sk_of_', '')
    return {
      ...server,
      idOf,
      listed: async (headers: object, userId = 'lead') =>
        (await server.send(`GET /api/tokens?userId=${userId}`, { ...headers })).body.map(
          (token: { tokenId: string }) => token.tokenId,
        ),
    }
  }

  test.each([
    [{ scopes: ['read', 'admin'] }, {}],
    [{ scopes: ['read', 'admin'] }, { scopes: ['write'] }],
    [{ workspaceIds: [1] }, {}],
    [{ workspaceIds: [1] }, { workspaceIds: [2] }],
  ])('%j neither sees nor revokes one with %j', async (narrow, wide) => {
    await using server = await openRelatedTokens()
    const [ownToken, otherToken] = [await server.addToken('lead', narrow), await server.addToken('lead', wide)]
    expect(await server.listed(ownToken)).toEqual([server.idOf(ownToken)])
    const response = await server.send(`DELETE /api/tokens/${server.idOf(otherToken)}`, ownToken)
    expect(response).toMatchObject({ status: 403, code: 'forbidden' })
    expect((await server.send(`DELETE /api/tokens/${server.idOf(ownToken)}`, ownToken)).status).toBe(204)
    expect((await server.send(`DELETE /api/tokens/${server.idOf(ownToken)}`, ownToken)).status).toBe(401)
  })

  test('revokes those with at most its own rights, also of people it administers', async () => {
    await using server = await openRelatedTokens()
    const ownToken = await server.addToken('lead', { scopes: ['read', 'admin'] })
    const sibling = await server.addToken('lead', { scopes: ['read'], workspaceIds: [2] })
    const [covered, wider] = [await server.addToken('ann', { scopes: ['read'] }), await server.addToken('ann')]
    expect((await server.listed(ownToken)).toSorted()).toEqual([server.idOf(ownToken), server.idOf(sibling)].toSorted())
    expect(await server.listed(ownToken, 'ann')).toEqual([server.idOf(covered)])
    expect((await server.send(`DELETE /api/tokens/${server.idOf(wider)}`, ownToken)).status).toBe(403)
    for (const token of [sibling, covered]) {
      expect((await server.send(`DELETE /api/tokens/${server.idOf(token)}`, ownToken)).status).toBe(204)
    }
  })
})

describe("other people's tokens", () => {
  async function openTenantServer() {
    const server = await openTokens()
    await server.addPerson('root', { role: 'platform_admin' })
    await server.addPerson('reseller', { role: 'provider_admin', providerId: 'provider_other' })
    await server.addPerson('boss', { role: 'tenant_admin' })
    await server.addPerson('lead', { members: { 1: 'admin', 2: 'viewer' } })
    await server.addPerson('ann', { members: { 1: 'editor' } })
    await server.addPerson('bob', { members: { 1: 'editor', 2: 'editor' } })
    await server.addPerson('eve', { members: { 4: 'admin' } })
    return server
  }

  test.each([
    ['root', ['reseller', 'boss', 'lead', 'ann', 'bob', 'eve']],
    ['reseller', ['eve']],
    ['boss', ['lead', 'ann', 'bob']],
    ['lead', ['ann']],
    ['ann', []],
    ['eve', []],
  ])('%s sees and revokes those of %j', async (actor, managedPeople) => {
    await using server = await openTenantServer()
    const headers = await server.addToken(actor)
    for (const userId of ['root', 'reseller', 'boss', 'lead', 'ann', 'bob', 'eve']) {
      if (userId === actor) continue
      const token = await server.addToken(userId)
      const id = token.authorization.replace('Bearer sk_of_', '')
      const isManaged = managedPeople.includes(userId)
      expect((await server.send('GET /api/tokens', token)).status).toBe(200)
      expect((await server.send(`GET /api/tokens?userId=${userId}`, headers)).status).toBe(isManaged ? 200 : 404)
      expect((await server.send(`DELETE /api/tokens/${id}`, headers)).status).toBe(isManaged ? 204 : 404)
      expect((await server.send('GET /api/tokens', token)).status).toBe(isManaged ? 401 : 200)
    }
  })

  test('returns the same 404 for a person of another tenant and for an unknown person', async () => {
    await using server = await openTenantServer()
    const headers = await server.addToken('ann')
    const responses = await Promise.all(
      ['eve', 'nobody'].map((userId) => server.send(`GET /api/tokens?userId=${userId}`, headers)),
    )
    const [firstMessage, secondMessage] = responses.map(({ body }) => body.error.replace(/"\w+"/, ''))
    expect(firstMessage).toBe(secondMessage)
  })
})
