import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { AccessLoss } from '../../kernel/access/actor-context.ts'
import { createInProcessBus } from '../../platform/bus/in-process-bus.ts'
import { createAccessService, hashToken } from './access-service.ts'
import { createAccessWatch } from './access-watch.ts'
import { insertToken, insertUser } from './credential-store.ts'
import { createTenantDirectoryReader } from './tenant-directory-reader.ts'

const HOUR_MS = 3_600_000
const TOKEN = { authorization: 'Bearer sk_one', session: null }
const LOGIN = { authorization: undefined, session: 'value-of-the-cookie' }

/** Opens two nodes that share a database and a bus. A tenant_admin has a token and a session that expires in a minute. */
async function openNodes() {
  const database = await temporaryDatabase()
  const time = createManualClock()
  const { clock } = time
  const now = clock.now()
  const running: Promise<unknown>[] = []
  const background = {
    run: (_name: string, work: () => Promise<unknown>) => void running.push(work()),
    drain: async () => [],
  }
  const bus = createInProcessBus(() => {})
  const open = (ownBus = bus) => {
    const parts = {
      database,
      background,
      bus: ownBus,
      clock,
      readTenantDirectory: createTenantDirectoryReader(database, clock),
      sessionIdleMs: HOUR_MS,
    }
    const access = createAccessService(parts)
    const { watch } = createAccessWatch(parts)
    const losses: string[] = []
    return Object.assign(access, {
      losses,
      /** Opens a connection that requires workspace 1 and returns a function that stops watching the connection. */
      open: (name: string, credentialId: string) =>
        watch({
          credentialId,
          isAllowed: async (actor) => actor.workspaces.has(1),
          onLost: (loss: AccessLoss) => void losses.push(`${name} ${loss}`),
        }),
    })
  }
  await seedWorkspaces(database)
  await database.transaction(async (unit) => {
    const person = {
      user_id: 'user_1',
      email: 'a@example.com',
      name: '',
      password_hash: '',
      home_account_sid: null,
      created_at: 1,
    }
    await insertUser(unit, { ...person, role: 'tenant_admin', provider_id: null, account_sid: SEEDED_TENANT })
    const token = { token_id: 'token_1', token_hash: hashToken('sk_one'), user_id: 'user_1', name: '', created_at: 1 }
    const limits = { scopes: '["read"]', workspace_ids: '[1]', expires_at: null, last_used_at: null, revoked_at: null }
    await insertToken(unit, { ...token, ...limits })
    const times = { expires_at: now + 60_000, last_used_at: now, confirmed_at: now, created_at: now }
    const login = { session_id: 'session_1', token_hash: hashToken(LOGIN.session), user_id: 'user_1', user_agent: '' }
    await unit
      .insertInto('sessions')
      .values({ ...login, ...times })
      .execute()
  })
  return {
    time,
    database,
    here: open(),
    there: open(),
    /** This node receives no messages from other nodes. */
    terminate: open(createInProcessBus(() => {})),
    settle: () => Promise.all(running),
    async finishChecks() {
      await nextTurn()
      for (let count = -1; count !== running.length; ) {
        count = running.length
        await Promise.all(running)
      }
    },
    revoke: () => database.transaction((unit) => unit.updateTable('api_tokens').set({ revoked_at: 2 }).execute()),
    async [Symbol.asyncDispose]() {
      await Promise.all(running)
      await database[Symbol.asyncDispose]()
    },
  }
}

test('a revoked token stops working at once on this node and after the message on others', async () => {
  await using nodes = await openNodes()
  const { here, there } = nodes
  expect(await here.authenticate(TOKEN)).not.toBeNull()
  expect(await there.authenticate(TOKEN)).not.toBeNull()
  await nodes.settle()
  await nodes.revoke()
  expect(await here.authenticate(TOKEN)).not.toBeNull()
  here.invalidate()
  expect(await here.authenticate(TOKEN)).toBeNull()
  expect(await there.authenticate(TOKEN)).toBeNull()
})

test('a token that is revoked during its lookup is not cached', async () => {
  await using nodes = await openNodes()
  const { here } = nodes
  const pendingLookup = here.authenticate(TOKEN)
  here.invalidate()
  expect(await pendingLookup).not.toBeNull()
  await nodes.settle()
  await nodes.revoke()
  expect(await here.authenticate(TOKEN)).toBeNull()
})

test('a session expires at the exact millisecond, even when cached', async () => {
  await using nodes = await openNodes()
  const { here, time } = nodes
  await time.advance(59_999)
  expect(await here.authenticate(LOGIN)).toMatchObject({
    credentialId: 'session_1',
    isSession: true,
    role: 'tenant_admin',
    accountSid: SEEDED_TENANT,
  })
  await time.advance(1)
  expect(await here.authenticate(LOGIN)).toBeNull()
})

test('rejects a cookie value in the header and a token in the cookie', async () => {
  await using nodes = await openNodes()
  const { here } = nodes
  expect(await here.authenticate(LOGIN)).not.toBeNull()
  for (const authorization of [LOGIN.session, `session ${LOGIN.session}`, `Bearer ${LOGIN.session}`]) {
    expect(await here.authenticate({ authorization, session: null })).toBeNull()
  }
  expect(await here.authenticate({ authorization: undefined, session: 'sk_one' })).toBeNull()
  expect(await here.authenticate({ authorization: 'Bearer sk_two', session: LOGIN.session })).toBeNull()
})

test('a new workspace is available at once, but never to a restricted token', async () => {
  await using nodes = await openNodes()
  const { here, database } = nodes
  const listWorkspaces = async (credentials: typeof TOKEN | typeof LOGIN) => [
    ...((await here.authenticate(credentials))?.workspaces.keys() ?? []),
  ]
  expect([await listWorkspaces(LOGIN), await listWorkspaces(TOKEN)]).toEqual([[1, 2], [1]])
  await database.transaction((unit) => {
    const limits = { concurrency_base: 1, concurrency_purchased: 0, concurrency_purchase_limit: 0, created_at: 1 }
    const names = { workspace_id: 3, account_sid: SEEDED_TENANT, name: '', native_transfer_enabled: 0 as const }
    return unit
      .insertInto('workspaces')
      .values({ ...names, ...limits })
      .execute()
  })
  expect([await listWorkspaces(LOGIN), await listWorkspaces(TOKEN)]).toEqual([[1, 2, 3], [1]])
})

test('returns unrestricted rights only for existing users', async () => {
  await using nodes = await openNodes()
  const actor = await nodes.here.findUserActor('user_1')
  expect(actor).toMatchObject({ userId: 'user_1', role: 'tenant_admin', accountSid: SEEDED_TENANT })
  expect([...(actor?.workspaces.keys() ?? [])]).toEqual([1, 2])
  expect(await nodes.here.findUserActor('user_2')).toBeNull()
})

test('records the use of a credential once a minute', async () => {
  await using nodes = await openNodes()
  const { here, time, database } = nodes
  const readLastUsedTimes = async () => {
    await nodes.settle()
    const [login] = await database.read.selectFrom('sessions').select('last_used_at').execute()
    const [token] = await database.read.selectFrom('api_tokens').select('last_used_at').execute()
    return [login?.last_used_at, token?.last_used_at]
  }
  await time.advance(1_000)
  const firstUseAt = time.clock.now()
  await here.authenticate(TOKEN)
  await here.authenticate(LOGIN)
  expect(await readLastUsedTimes()).toEqual([firstUseAt, firstUseAt])
  await time.advance(58_000)
  await here.authenticate(TOKEN)
  await here.authenticate(LOGIN)
  expect(await readLastUsedTimes()).toEqual([firstUseAt, firstUseAt])
  await time.advance(2_000)
  await here.authenticate(TOKEN)
  expect(await readLastUsedTimes()).toEqual([firstUseAt, firstUseAt + 60_000])
})

test('closes connections of a revoked token at once, and within 5 seconds on a node that missed the message', async () => {
  await using nodes = await openNodes()
  const { here, there, terminate, time } = nodes
  for (const node of [here, there, terminate]) {
    node.open('stream', 'token_1')
    node.open('login', 'session_1')
  }
  await time.advance(5_000)
  await nodes.finishChecks()
  await nodes.revoke()
  here.invalidate()
  await nodes.finishChecks()
  expect([here.losses, there.losses, terminate.losses]).toEqual([['stream unauthorized'], ['stream unauthorized'], []])
  await time.advance(5_000)
  await nodes.finishChecks()
  expect(terminate.losses).toEqual(['stream unauthorized'])
})

test("closes connections when their session, their owner's rights or their workspace ends", async () => {
  await using nodes = await openNodes()
  const { here, time, database } = nodes
  here.open('token', 'token_1')
  here.open('login', 'session_1')
  here.open('unknown', 'token_2')
  const stopWatching = here.open('closed', 'session_1')
  expect(time.countPendingTimers()).toBe(1)
  stopWatching()
  await time.advance(59_999)
  await nodes.finishChecks()
  expect(here.losses).toEqual(['unknown unauthorized'])
  await time.advance(5_000)
  await nodes.finishChecks()
  expect(here.losses).toEqual(['unknown unauthorized', 'login unauthorized'])
  await database.transaction((unit) => unit.deleteFrom('workspaces').where('workspace_id', '=', 1).execute())
  here.invalidate()
  await nodes.finishChecks()
  expect(here.losses.at(-1)).toBe('token forbidden')
  expect(time.countPendingTimers()).toBe(0)
})
