import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type TemporarySqliteDatabase, temporarySqliteDatabase } from '../../../../../testing/temporary-database.ts'
import { ConstraintError } from '../../kernel/errors.ts'
import { BatchConflictError, type BatchStatement, type Database } from '../../kernel/storage/database.ts'
import { systemClock } from '../system.ts'
import { openDatabase } from './sqlite-database.ts'

const user = (user_id: string, email = `${user_id}@example.com`) => ({
  user_id,
  email,
  name: '',
  password_hash: 'hash',
  role: 'end_user',
  provider_id: null,
  account_sid: null,
  home_account_sid: null,
  role_since: 0,
  created_at: 1_700_000_000_000,
})

const insertUser = ({ queryBuilder }: Database, user_id: string, email?: string): BatchStatement => ({
  query: queryBuilder.insertInto('users').values(user(user_id, email)).compile(),
})

const userIds = async ({ read }: Pick<Database, 'read'>) =>
  (await read.selectFrom('users').select('user_id').orderBy('user_id').execute()).map((row) => row.user_id)

describe('transaction', () => {
  test('commits and returns the result of its work; readers see the writes at once', async () => {
    await using database = await temporarySqliteDatabase()
    const result = await database.transaction(async (transaction) => {
      const inserted = await transaction.insertInto('users').values(user('a')).executeTakeFirstOrThrow()
      expect(inserted.numInsertedOrUpdatedRows).toBe(1n)
      expect(await userIds({ read: transaction })).toEqual(['a'])
      return transaction.updateTable('users').set({ role: 'tenant_admin' }).returningAll().executeTakeFirstOrThrow()
    })
    expect(result).toEqual({ ...user('a'), role: 'tenant_admin' })
    expect(await database.read.selectFrom('users').selectAll().execute()).toEqual([
      { ...user('a'), role: 'tenant_admin' },
    ])
  })

  test('rolls back when the work throws', async () => {
    await using database = await temporarySqliteDatabase()
    const failed = database.transaction(async (transaction) => {
      await transaction.insertInto('users').values(user('a')).execute()
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await userIds(database)).toEqual([])
  })

  test('continues after a failed statement that its work catches', async () => {
    await using database = await temporarySqliteDatabase()
    await database.transaction(async (transaction) => {
      await transaction.insertInto('users').values(user('a')).execute()
      const again = transaction.insertInto('users').values(user('a')).execute()
      await expect(again).rejects.toMatchObject({ name: 'ConstraintError', kind: 'unique' })
      await transaction.insertInto('users').values(user('b')).execute()
    })
    expect(await userIds(database)).toEqual(['a', 'b'])
  })

  test('runs concurrent transactions one after another without losing updates', async () => {
    await using database = await temporarySqliteDatabase()
    await database.batch([insertUser(database, 'a')])
    const addOne = () =>
      database.transaction(async (transaction) => {
        const row = await transaction.selectFrom('users').select('created_at').executeTakeFirstOrThrow()
        await transaction
          .updateTable('users')
          .set({ created_at: row.created_at + 1 })
          .execute()
      })
    await Promise.all(Array.from({ length: 20 }, addOne))
    const row = await database.read.selectFrom('users').select('created_at').executeTakeFirstOrThrow()
    expect(row.created_at).toBe(1_700_000_000_020)
  })

  test('rolls back after its timeout, and the next transaction runs', async () => {
    let expire: () => void = () => undefined
    const after = (_delayMs: number, callback: () => void) => {
      expire = callback
      return () => undefined
    }
    await using database = await temporarySqliteDatabase({ clock: { now: () => 0, after } })
    let late: Promise<unknown> = Promise.resolve()
    const stuck = database.transaction(async (transaction) => {
      await transaction.insertInto('users').values(user('a')).execute()
      expire()
      late = transaction.insertInto('users').values(user('b')).execute()
      await late.catch(() => undefined)
      await new Promise(() => undefined)
    })
    await expect(stuck).rejects.toMatchObject({ code: 'unavailable' })
    await expect(late).rejects.toMatchObject({ code: 'unavailable' })
    await database.batch([insertUser(database, 'c')])
    expect(await userIds(database)).toEqual(['c'])
  })

  test('rejects its handle after it has ended', async () => {
    await using database = await temporarySqliteDatabase()
    const escaped = await database.transaction(async (transaction) => ({ transaction }))
    await expect(escaped.transaction.selectFrom('users').selectAll().execute()).rejects.toThrow()
  })
})

describe('misuse', () => {
  test('rejects every outer handle inside an open transaction', async () => {
    await using database = await temporarySqliteDatabase()
    const inside = (action: () => Promise<unknown>) => database.transaction(async () => void (await action()))
    await expect(inside(() => userIds(database))).rejects.toThrow(/`read` .* inside an open transaction/)
    await expect(inside(() => database.batch([insertUser(database, 'a')]))).rejects.toThrow(/`batch` .* inside an open/)
    await expect(inside(() => database.transaction(async () => 1))).rejects.toThrow(/`transaction` .* inside an open/)
    expect(await userIds(database)).toEqual([])
  })

  test('allows outer handles to work that continues after the transaction', async () => {
    await using database = await temporarySqliteDatabase()
    const gate = Promise.withResolvers<void>()
    let later: Promise<string[]> = Promise.resolve([])
    await database.transaction(async (transaction) => {
      later = gate.promise.then(() => userIds(database))
      await transaction.insertInto('users').values(user('a')).execute()
    })
    gate.resolve()
    expect(await later).toEqual(['a'])
  })

  test('read handles reject writes, and compile handles reject execution', async () => {
    await using database = await temporarySqliteDatabase()
    await expect(database.read.insertInto('users').values(user('a')).execute()).rejects.toThrow(
      /readonly|cannot be used/,
    )
    await expect(
      sql`pragma query_only = off`.execute(database.read).then(() => database.read.deleteFrom('users').execute()),
    ).rejects.toThrow()
    await expect(database.read.transaction().execute(async () => 1)).rejects.toThrow('database.transaction')
    await expect(userIds({ read: database.queryBuilder })).rejects.toThrow('only compiles')
    await expect(database.queryBuilder.selectFrom('users').selectAll().stream().next()).rejects.toThrow('only compiles')
  })

  test('an unsupported value fails only its statement', async () => {
    await using database = await temporarySqliteDatabase()
    const broken = (value: unknown) => ({ query: { ...insertUser(database, 'a').query, parameters: [value] } })
    await expect(database.batch([broken(() => 1)])).rejects.toThrow()
    await expect(database.batch([broken({ an: 'object' })])).rejects.toThrow()
    await database.batch([insertUser(database, 'b')])
    expect(await userIds(database)).toEqual(['b'])
  })
})

describe('batch', () => {
  test('writes all statements, in order', async () => {
    await using database = await temporarySqliteDatabase()
    const rename = database.queryBuilder.updateTable('users').set({ role: 'x' }).where('user_id', '=', 'a').compile()
    await database.batch([insertUser(database, 'a'), { query: rename, expectRows: 1 }])
    await database.batch([])
    expect(await database.read.selectFrom('users').select('role').execute()).toEqual([{ role: 'x' }])
  })

  test('an unexpected number of changed rows rolls back the batch and names the statement', async () => {
    await using database = await temporarySqliteDatabase()
    const nobody = database.queryBuilder.deleteFrom('users').where('user_id', '=', 'nobody').compile()
    const error = await database
      .batch([insertUser(database, 'a'), { query: nobody, expectRows: 1 }, insertUser(database, 'b')])
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(BatchConflictError)
    expect(error).toMatchObject({ statement: 1 })
    expect(await userIds(database)).toEqual([])
  })

  test('expected rows include returned rows', async () => {
    await using database = await temporarySqliteDatabase()
    const query = database.queryBuilder.insertInto('users').values(user('a')).returning('user_id').compile()
    await database.batch([{ query, expectRows: 1 }])
    expect(await userIds(database)).toEqual(['a'])
  })

  test('a failing one of many concurrent batches fails alone', async () => {
    await using database = await temporarySqliteDatabase()
    const outcomes = await Promise.allSettled([
      database.batch([insertUser(database, 'a')]),
      database.batch([insertUser(database, 'b'), insertUser(database, 'c', 'a@example.com')]),
      database.batch([insertUser(database, 'd')]),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { name: 'ConstraintError', kind: 'unique', statement: 1 } })
    expect(await userIds(database)).toEqual(['a', 'd'])
  })

  test('constraint errors are equal in every database', async () => {
    await using database = await temporarySqliteDatabase()
    const orphan = database.queryBuilder
      .insertInto('signing_secrets')
      .values({ secret_id: 's', workspace_id: 9, ciphertext: 'c', created_at: 1, expires_at: null })
      .compile()
    const error = await database.batch([{ query: orphan }]).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ConstraintError)
    expect(error).toMatchObject({ kind: 'foreign-key' })
    const nameless = sql`insert into users (user_id) values ('a')`.compile(database.queryBuilder)
    await expect(database.batch([{ query: nameless }])).rejects.toMatchObject({ kind: 'other' })
  })

  test('batches and transactions take effect in the order of their calls', async () => {
    await using database = await temporarySqliteDatabase()
    const count = sql<string>`cast((select count(*) from users) as text)`
    const write = (order: number) => ({
      query: database.queryBuilder
        .insertInto('users')
        .values({ ...user(String(order)), password_hash: count })
        .compile(),
    })
    const viaTransaction = (order: number) =>
      database.transaction(async (transaction) => {
        await transaction.executeQuery(write(order).query)
      })
    await Promise.all([
      database.batch([write(0)]),
      database.batch([write(1)]),
      viaTransaction(2),
      database.batch([write(3)]),
      viaTransaction(4),
      database.batch([write(5)]),
    ])
    const rows = await database.read.selectFrom('users').select(['user_id', 'password_hash']).execute()
    for (const row of rows) expect([row.user_id, row.password_hash]).toEqual([row.user_id, row.user_id])
    expect(rows).toHaveLength(6)
  })
})

describe('onInsert', () => {
  test('notifies of committed inserts into a table only', async () => {
    await using database = await temporarySqliteDatabase()
    let heard = 0
    const stop = database.onInsert('users', () => {
      heard += 1
    })
    await database.batch([insertUser(database, 'a'), insertUser(database, 'b')])
    expect(heard).toBe(1)
    await database.transaction(async (transaction) => {
      await transaction.insertInto('users').values(user('c')).execute()
      expect(heard).toBe(1)
    })
    expect(heard).toBe(2)
    await database.batch([insertUser(database, 'a')]).catch(() => undefined)
    await database.batch([{ query: database.queryBuilder.deleteFrom('users').compile() }])
    stop()
    await database.batch([insertUser(database, 'd')])
    expect(heard).toBe(2)
  })
})

describe('getChangeCount', () => {
  const workspacesAndUsers = (database: Database) => [
    database.getChangeCount(['workspaces']),
    database.getChangeCount(['users']),
  ]

  async function changed(database: Database, write: () => Promise<unknown>) {
    const before = workspacesAndUsers(database)
    await write()
    return workspacesAndUsers(database).map((count, index) => count > (before[index] ?? 0))
  }

  test('counts inserts and updates by table, in batches and units of work, and nothing for reads', async () => {
    await using database = await temporarySqliteDatabase()
    const { queryBuilder } = database
    expect(await changed(database, () => database.batch([insertUser(database, 'a')]))).toEqual([false, true])
    const rename = queryBuilder.updateTable('users').set({ role: 'tenant_admin' }).compile()
    expect(await changed(database, () => database.batch([{ query: rename }]))).toEqual([false, true])
    const inUnit = () => database.transaction((unit) => unit.insertInto('users').values(user('b')).execute())
    expect(await changed(database, inUnit)).toEqual([false, true])
    const readOnly = () => database.transaction((unit) => unit.selectFrom('users').selectAll().execute())
    expect(await changed(database, readOnly)).toEqual([false, false])
    expect(await changed(database, () => userIds(database))).toEqual([false, false])
  })

  test('counts every table for deletes, replacements and raw statements', async () => {
    await using database = await temporarySqliteDatabase()
    const { queryBuilder } = database
    const statements = [
      queryBuilder.deleteFrom('users').compile(),
      queryBuilder.insertInto('users').orReplace().values(user('a')).compile(),
      sql`update users set role = 'end_user'`.compile(queryBuilder),
    ]
    for (const query of statements) {
      expect(await changed(database, () => database.batch([{ query }]))).toEqual([true, true])
    }
    const rawUnit = () => database.transaction((unit) => sql`update users set role = 'end_user'`.execute(unit))
    expect(await changed(database, rawUnit)).toEqual([true, true])
  })

  test('grows with the commit, not while the unit of work is open', async () => {
    await using database = await temporarySqliteDatabase()
    const before = database.getChangeCount(['users'])
    await database.transaction(async (unit) => {
      await unit.insertInto('users').values(user('a')).execute()
      expect(database.getChangeCount(['users'])).toBe(before)
    })
    expect(database.getChangeCount(['users'])).toBe(before + 1)
    const seen: [count: number, ids: number][] = []
    await Promise.all(
      ['b', 'c', 'd'].map(async (id, index) => {
        await database.batch([insertUser(database, id)])
        seen.push([database.getChangeCount(['users']) - before, index])
      }),
    )
    // Each found its own commit counted, in any order.
    for (const [position, [count]] of seen.entries()) expect(count).toBeGreaterThanOrEqual(position + 2)
  })
})

describe('closing', () => {
  test('close finishes running work and rejects new work', async () => {
    await using database = await temporarySqliteDatabase()
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const underWay = database.transaction(async (transaction) => {
      started.resolve()
      await gate.promise
      await transaction.insertInto('users').values(user('a')).execute()
    })
    const queued = database.batch([insertUser(database, 'b')])
    await started.promise
    const closed = database.close()
    await expect(database.batch([insertUser(database, 'c')])).rejects.toMatchObject({ code: 'unavailable' })
    gate.resolve()
    await Promise.all([underWay, queued, closed])
    await using again = await reopen(database)
    expect(await userIds(again)).toEqual(['a', 'b'])
  })

  test('a crash keeps acknowledged writes and drops open transactions', async () => {
    await using database = await temporarySqliteDatabase()
    await Promise.all(Array.from({ length: 30 }, (_, n) => database.batch([insertUser(database, `a${n}`)])))
    const hanging = database.transaction(async (transaction) => {
      await transaction.insertInto('users').values(user('open')).execute()
      await database.crash()
      await transaction.insertInto('users').values(user('later')).execute()
    })
    await expect(hanging).rejects.toMatchObject({ code: 'unavailable' })
    expect(database.failure).toMatchObject({ code: 'unavailable' })
    await expect(database.batch([insertUser(database, 'c')])).rejects.toMatchObject({ code: 'unavailable' })
    await using again = await reopen(database)
    expect(await userIds(again)).toHaveLength(30)
  })

  test('reports a file that cannot be opened', async () => {
    await expect(openDatabase({ file: '/nowhere/at/all.db', clock: systemClock })).rejects.toThrow(/cannot be used/)
  })
})

async function reopen({ file }: TemporarySqliteDatabase) {
  const database = await openDatabase({ file, clock: systemClock })
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() })
}
