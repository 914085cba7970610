import { SCOPES } from '@parley/contract/access'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Capabilities } from '../../kernel/storage/database.ts'
import type { Background } from '../../kernel/work/background.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createAccessService, hashToken } from './access-service.ts'
import { buildCredential, TENANT_DIRECTORY } from './actors-test-kit.ts'
import { insertToken, insertUser } from './credential-store.ts'
import { resolveActor } from './resolve-actor.ts'
import { createTenantDirectoryReader } from './tenant-directory-reader.ts'

async function openAccess(capabilities: Partial<Capabilities> = {}) {
  const opened = await temporaryDatabase()
  const database = Object.assign(opened, { capabilities: { ...opened.capabilities, ...capabilities } })
  const time = createManualClock()
  const tasks: Promise<unknown>[] = []
  const background = {
    run: (_name: string, work: () => Promise<unknown>) => void tasks.push(work()),
  } as unknown as Background
  await database.transaction(async (transaction) => {
    await insertUser(transaction, {
      user_id: 'user_1',
      email: 'a@example.com',
      name: '',
      password_hash: 'hash',
      role: 'tenant_admin',
      provider_id: null,
      account_sid: 'account',
      home_account_sid: 'account',
      created_at: 1,
    })
    await insertToken(transaction, {
      token_id: 'token_1',
      token_hash: hashToken('sk_one'),
      user_id: 'user_1',
      name: 'One',
      scopes: '["read"]',
      workspace_ids: null,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      created_at: 1,
    })
  })
  return {
    time,
    database,
    access: createAccessService({
      database,
      background,
      clock: time.clock,
      bus: createInProcessBus(() => {}),
      readTenantDirectory: createTenantDirectoryReader(database, time.clock),
      sessionIdleMs: 60_000,
    }),
    revoke: () => database.transaction((unit) => unit.updateTable('api_tokens').set({ revoked_at: 2 }).execute()),
    async [Symbol.asyncDispose]() {
      await Promise.all(tasks)
      await database[Symbol.asyncDispose]()
    },
  }
}

test('finds the actor of a token in any header notation and returns null for anything else', async () => {
  await using opened = await openAccess()
  const { access } = opened
  const paddedHeader = `Bearer${' '.repeat(700)}sk_one`
  for (const header of ['Bearer sk_one', 'bearer  sk_one', 'Bearer sk_one', paddedHeader]) {
    const actor = await access.authenticate({ authorization: header, session: null })
    expect(actor).toMatchObject({ credentialId: 'token_1', userId: 'user_1', role: 'tenant_admin' })
    expect([...(actor?.scopes ?? [])]).toEqual(['read'])
  }
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Bearer sk_two', 'Basic sk_one', 'Bearer sk_one sk_one']) {
    expect(await access.authenticate({ authorization: header, session: null })).toBeNull()
  }
})

test('accepts a revoked token for at most five more seconds', async () => {
  await using opened = await openAccess()
  const { access, time, revoke } = opened
  expect(await access.authenticate({ authorization: 'Bearer sk_one', session: null })).not.toBeNull()
  await revoke()
  await time.advance(5_000)
  expect(await access.authenticate({ authorization: 'Bearer sk_one', session: null })).toBeNull()
})

test('rechecks a rejected credential once for many concurrent requests on several nodes', async () => {
  await using alone = await openAccess()
  await using server = await openAccess({ seesAllWrites: false })
  const credentials = { authorization: 'Bearer sk_new', session: null }
  expect(await server.access.authenticate(credentials)).toBeNull()
  await server.database.transaction(async (transaction) => {
    const made = await transaction.selectFrom('api_tokens').selectAll().executeTakeFirstOrThrow()
    await insertToken(transaction, { ...made, token_id: 'token_2', token_hash: hashToken('sk_new') })
  })
  expect(await server.access.authenticate(credentials)).toBeNull()
  expect(await server.access.renew()).toBe(true)
  expect(await server.access.authenticate(credentials)).toMatchObject({ credentialId: 'token_2' })
  const soon = Promise.all([server.access.renew(), server.access.renew()])
  await server.time.advance(20)
  expect(await soon).toEqual([true, true])
  expect(server.time.countPendingTimers()).toBe(0)
  // A single process sees all of its own changes.
  if (alone.database.capabilities.seesAllWrites) expect(await alone.access.renew()).toBe(false)
})

const reach = (actor: Actor): string[] => [...actor.workspaces].map(([id, { level }]) => `${id}:${level}`).sort()

describe('resolveActor', () => {
  test.each([
    [{ role: 'platform_admin' }, ['1:account', '2:account', '3:account', '4:account']],
    [{ role: 'provider_admin', providerId: 'provider_a' }, ['1:account', '2:account', '3:account']],
    [{ role: 'provider_admin', providerId: null }, []],
    [{ role: 'tenant_admin', accountSid: 'south' }, ['3:account']],
    [{ role: 'tenant_admin', accountSid: 'gone' }, []],
    [{ role: 'tenant_admin', accountSid: null }, []],
    [{ role: 'end_user' }, []],
    [{ role: 'end_user', providerId: 'provider_a', accountSid: 'north' }, []],
  ] as const)('%j has access to %j', (given, expected) => {
    expect(reach(resolveActor(buildCredential(given), TENANT_DIRECTORY))).toEqual(expected)
  })

  test('adds memberships without lowering the level of an administrator', () => {
    const memberships = [
      { workspaceId: 1, role: 'viewer' },
      { workspaceId: 4, role: 'admin' },
      { workspaceId: 99, role: 'admin' },
    ] as const
    expect(reach(resolveActor(buildCredential({ memberships }), TENANT_DIRECTORY))).toEqual(['1:viewer', '4:admin'])
    const admin = buildCredential({ memberships, role: 'tenant_admin', accountSid: 'north' })
    expect(reach(resolveActor(admin, TENANT_DIRECTORY))).toEqual(['1:account', '2:account', '4:admin'])
  })

  test('finds the reseller of a tenant', () => {
    const admin = buildCredential({ role: 'tenant_admin', accountSid: 'west' })
    expect(resolveActor(admin, TENANT_DIRECTORY)).toMatchObject({ providerId: 'provider_b', accountSid: 'west' })
  })

  test('has the scopes of the token, or all scopes', () => {
    expect([...resolveActor(buildCredential(), TENANT_DIRECTORY).scopes]).toEqual(SCOPES)
    expect([...resolveActor(buildCredential({ scopes: ['read'] }), TENANT_DIRECTORY).scopes]).toEqual(['read'])
  })

  test.each([
    [{ role: 'platform_admin' }, [1, 4, 99], ['1:admin', '4:admin']],
    [{ role: 'tenant_admin', accountSid: 'north' }, [1, 3], ['1:admin']],
    [{ role: 'end_user', memberships: [{ workspaceId: 1, role: 'viewer' }] }, [1, 2], ['1:viewer']],
    [{ role: 'platform_admin' }, [], []],
  ] as const)('a token of %j limited to %j acts as an end user in %j', (given, workspaceIds, expected) => {
    const actor = resolveActor(buildCredential({ ...given, workspaceIds }), TENANT_DIRECTORY)
    expect(actor).toMatchObject({ role: 'end_user', providerId: null, accountSid: null })
    expect(reach(actor)).toEqual(expected)
  })
})
