import { describe, expect } from 'vitest'
import { runServer } from '../../testing/running-server.ts'
import { insertRows, withStoppedServer } from '../../testing/server-database.ts'
import { expectBody, read, send, test } from '../../testing/server-test.ts'

describe('workspaces', () => {
  test('are listed under both prefixes', async ({ server }) => {
    for (const path of ['/api/workspaces', '/api/v1/workspaces']) {
      const { status, headers, body } = await server.call<{ workspaces: object[] }>('GET', path)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{26}$/)
      expect(Object.keys(body)).toEqual(['workspaces'])
      expect(body.workspaces[0]).toMatchObject({
        accountSid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        accountPath: expect.stringMatching(/^\/[^/]+\/[^/]+$/),
      })
    }
  })
})

describe('concurrency', () => {
  test('starts with the default limit and no calls', async ({ server }) => {
    for (const path of ['/api/concurrency', '/api/v1/concurrency']) {
      const body = await expectBody(200, read(server, path))
      expect(body).toMatchObject({ maxConcurrent: 20, currentUsage: 0, purchasedConcurrency: 0 })
    }
  })
})

describe('the signing secret', () => {
  test('is read and rotated, and the old one stays valid for a day', async ({ server }) => {
    const before = await expectBody(200, read<{ secrets: { secret: string }[] }>(server, '/api/signing-secret'))
    expect(before.secrets[0]?.secret).toMatch(/^whsec_[0-9a-f]{64}$/)
    const rotated = await expectBody(
      200,
      send<{ secrets: { secret: string; expiresAt: string | null }[] }>(server, 'POST', '/api/signing-secret/rotate'),
    )
    const [fresh, old] = rotated.secrets
    expect(rotated.secrets).toHaveLength(2)
    expect(fresh?.expiresAt).toBeNull()
    expect(old?.secret).toBe(before.secrets[0]?.secret)
    const leftMs = Date.parse(old?.expiresAt ?? '') - Date.now()
    expect(leftMs).toBeGreaterThan(23.9 * 3_600_000)
    expect(leftMs).toBeLessThanOrEqual(24 * 3_600_000)
    expect(await expectBody(200, read(server, '/api/v1/signing-secret'))).toEqual(rotated)
  })
})

test('the workspace in the header must match the request', async ({ server }) => {
  const header = (value: string) => ({
    headers: { 'x-workspace-id': value },
    query: { workspaceId: server.workspaceId },
  })
  expect((await server.call('GET', '/api/agents', header(String(server.workspaceId)))).status).toBe(200)
  expect((await server.call('GET', '/api/agents', header('2'))).status).toBe(400)
})

test('a valid lease counts as a call, an expired one does not', async () => {
  await using server = await runServer()
  const now = Date.now()
  const lease = { workspace_id: 1, holder: 'x', created_at: now - 1000 }
  const leases = [
    { ...lease, lease_id: 'lease_a', expires_at: now + 600_000 },
    { ...lease, lease_id: 'lease_b', expires_at: now - 1 },
  ]
  await withStoppedServer(server, (database) => insertRows(database, 'leases', leases))
  expect(await expectBody(200, read(server, '/api/concurrency'))).toMatchObject({ maxConcurrent: 20, currentUsage: 1 })
})
