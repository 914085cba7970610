import { describe, expect, test } from 'vitest'
import { buildOperation, COOKIE, startAccessServer } from './access-test-kit.ts'

const OPERATIONS = [
  buildOperation('GET', 'read', 'query'),
  buildOperation('POST', 'read', 'body'),
  buildOperation('POST', 'write', 'body'),
  buildOperation('POST', 'calls', 'body'),
  buildOperation('POST', 'admin', 'body'),
  buildOperation('DELETE', 'admin', 'path'),
  buildOperation('POST', 'own-tokens', 'none'),
  buildOperation('POST', 'session', 'none'),
  buildOperation('POST', 'public', 'none'),
]
const TENANT = { authorization: 'Bearer tenant' }
const BODY = { workspaceId: 1 }

describe('audit recorder', () => {
  test.each([
    ['POST /api/write-body', BODY],
    ['POST /api/admin-body', BODY],
    ['DELETE /api/admin-path/1', undefined],
    ['POST /api/own-tokens-none', {}],
  ])('records the change %s', async (requestLine, body) => {
    await using server = startAccessServer(OPERATIONS)
    expect((await server.send(requestLine, TENANT, body)).status).toBe(200)
    expect(server.audited).toHaveLength(1)
  })

  test.each([
    ['GET /api/read-query?workspaceId=1', undefined],
    ['POST /api/read-body', BODY],
    ['POST /api/calls-body', BODY],
    ['POST /api/public-none', {}],
  ])('does not record %s', async (requestLine, body) => {
    await using server = startAccessServer(OPERATIONS)
    expect((await server.send(requestLine, TENANT, body)).status).toBe(200)
    expect(server.audited).toEqual([])
  })

  test.each([
    ['x-actor-type', 'end_user'],
    ['x-provider-id', 'provider_a'],
    ['x-tenant-id', 'north'],
    ['x-workspace-id', '1'],
  ])('records every use of %s, including reads and conversations', async (name, value) => {
    await using server = startAccessServer(OPERATIONS)
    const headers = { ...TENANT, [name]: value }
    expect((await server.send('GET /api/read-query?workspaceId=1', headers)).status).toBe(200)
    expect((await server.send('POST /api/calls-body', headers, BODY)).status).toBe(200)
    expect(server.audited).toHaveLength(2)
    expect(Object.values(server.audited[0]?.context ?? {}).map(String)).toContain(value)
    expect(server.background).toEqual([])
  })

  test('records refused context headers', async () => {
    await using server = startAccessServer(OPERATIONS)
    const outOfReach = { ...TENANT, 'x-tenant-id': 'nowhere' }
    expect((await server.send('GET /api/read-query?workspaceId=1', outOfReach)).status).toBe(403)
    const otherTenant = { ...TENANT, 'x-tenant-id': 'north' }
    expect((await server.send('GET /api/read-query?workspaceId=999', otherTenant)).status).toBe(403)
    expect(server.audited.map(({ status, context }) => [status, context?.tenantId])).toEqual([
      [403, 'nowhere'],
      [403, 'north'],
    ])
    await server.send('GET /api/read-query?workspaceId=999', TENANT)
    expect(server.audited).toHaveLength(2)
  })

  test('records context headers if the token lacks the scope', async () => {
    await using server = startAccessServer(OPERATIONS)
    const headers = { authorization: 'Bearer reader', 'x-tenant-id': 'north' }
    expect((await server.send('POST /api/write-body', headers, BODY)).status).toBe(403)
    expect(server.audited).toMatchObject([{ status: 403, context: { tenantId: 'north' } }])
  })

  test('records actor, action and target without content', async () => {
    await using server = startAccessServer(OPERATIONS)
    const headers = { ...TENANT, 'x-actor-type': 'end_user' }
    const response = await server.send('DELETE /api/admin-path/1', headers)
    expect(server.audited).toEqual([
      {
        userId: 'user_1',
        credentialId: 'token_1',
        actorRole: 'end_user',
        operation: 'delete_api_admin_path',
        target: { workspaceId: '1' },
        workspaceId: 1,
        accountSid: 'north',
        providerId: 'provider_a',
        context: { actorType: 'end_user', providerId: null, tenantId: null, workspaceId: null },
        status: 200,
        requestId: response.headers['x-request-id'],
        ip: '127.0.0.1',
      },
    ])
  })

  test("records changes to the user's own session", async () => {
    await using server = startAccessServer(OPERATIONS)
    await server.send('POST /api/session-none', { cookie: COOKIE, origin: 'https://parley.example' }, {})
    expect(server.audited).toMatchObject([{ credentialId: 'session_1', workspaceId: null, context: null }])
  })

  test('does not record refused requests', async () => {
    await using server = startAccessServer(OPERATIONS)
    expect((await server.send('POST /api/admin-body', TENANT, { workspaceId: 3 })).status).toBe(403)
    expect((await server.send('POST /api/admin-body', TENANT, {})).status).toBe(400)
    expect(server.audited).toEqual([])
  })

  test('records edits after the response and permission changes before it', async () => {
    await using server = startAccessServer(OPERATIONS)
    await server.send('POST /api/admin-body', TENANT, BODY)
    expect(server.background).toEqual([])
    await server.send('POST /api/write-body', TENANT, BODY)
    expect(server.background).toEqual(['write the audit log'])
  })

  test('does not fail a completed request', async () => {
    await using server = startAccessServer(OPERATIONS, true)
    expect((await server.send('POST /api/admin-body', TENANT, BODY)).status).toBe(200)
    expect(server.errors).toEqual(['failed to store an audit log entry'])
    expect((await server.send('POST /api/write-body', TENANT, BODY)).status).toBe(200)
  })
})
