import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Capabilities } from '../../kernel/storage/database.ts'
import type { Background } from '../../kernel/work/background.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createAccessService, hashToken } from './access-service.ts'
import { insertToken, insertUser } from './credential-store.ts'
import { createTenantDirectoryReader } from './tenant-directory-reader.ts'

async function openAccess(capabilities: Partial<Capabilities> = {}) {
  const opened = await temporaryDatabase()
  const database = Object.assign(opened, { capabilities: { ...opened.capabilities, ...capabilities } })
  const time = manualClock()
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

test('finds the actor of a token however its header is written, and nobody for anything else', async () => {
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

test('a revoked token works for five more seconds at most', async () => {
  await using opened = await openAccess()
  const { access, time, revoke } = opened
  expect(await access.authenticate({ authorization: 'Bearer sk_one', session: null })).not.toBeNull()
  await revoke()
  await time.advance(5_000)
  expect(await access.authenticate({ authorization: 'Bearer sk_one', session: null })).toBeNull()
})

test('among several nodes a refusal can be looked at again, however many ask at a cost of one look', async () => {
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
  expect(server.time.pendingTimers()).toBe(0)
  // A process that makes every change itself has nothing to learn.
  if (alone.database.capabilities.seesAllWrites) expect(await alone.access.renew()).toBe(false)
})
