import { createManualClock } from '@parley/engine/testing/manual-clock'
import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import {
  buildDatabaseUrl,
  createTemporaryDatabase,
  dropTemporaryDatabase,
  temporaryPostgresDatabase,
} from '../../../../../testing/temporary-postgres-database.ts'
import { ConstraintError } from '../../kernel/errors.ts'
import { BatchConflictError, type Reader, type Transaction } from '../../kernel/storage/database.ts'
import { systemClock } from '../system.ts'
import { MIGRATIONS } from './migrator.ts'
import { openPostgresDatabase } from './open-postgres.ts'
import { PostgresConnections } from './postgres-connections.ts'
import { ConflictQueue } from './postgres-database.ts'

const SERVER_URL = process.env.TEST_DATABASE_URL ?? ''

const open = (options = {}) => temporaryPostgresDatabase(SERVER_URL, options)

const readValue = async (reader: Reader | Transaction, name: string): Promise<number | undefined> =>
  (await reader.selectFrom('counters').select('value').where('name', '=', name).executeTakeFirst())?.value

const insert = ({ queryBuilder }: { readonly queryBuilder: Reader }, name: string) => ({
  query: queryBuilder.insertInto('counters').values({ name, value: 1 }).compile(),
})

const update = ({ queryBuilder }: { readonly queryBuilder: Reader }, name: string, expectRows: number) => ({
  query: queryBuilder.updateTable('counters').set({ value: 2 }).where('name', '=', name).compile(),
  expectRows,
})

describe('transaction', () => {
  test('does not lose updates when many transactions change the same row', async () => {
    await using database = await open()
    await database.batch([insert(database, 'visits')])
    const visit = () =>
      database.transaction(async (transaction) => {
        const value = (await readValue(transaction, 'visits')) ?? 0
        await transaction
          .updateTable('counters')
          .set({ value: value + 1 })
          .where('name', '=', 'visits')
          .execute()
      })
    await Promise.all(Array.from({ length: 100 }, visit))
    expect(await readValue(database.read, 'visits')).toBe(101)
  })

  test('detects concurrent changes to rows that it read', async () => {
    await using database = await open()
    // Each looks for room and takes the last of it: only one may find some.
    const takeLast = (name: string) =>
      database.transaction(async (transaction) => {
        const taken = await transaction.selectFrom('counters').select('name').execute()
        if (taken.length > 0) return false
        await transaction.insertInto('counters').values({ name, value: 1 }).execute()
        return true
      })
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => takeLast(`place ${index}`)))
    expect(results.filter(Boolean)).toHaveLength(1)
  })

  test('retries after a concurrent transaction takes the same name', async () => {
    await using database = await open()
    const takeName = () =>
      database.transaction(async (transaction) => {
        if ((await readValue(transaction, 'name')) !== undefined) return 'taken'
        await transaction.insertInto('counters').values({ name: 'name', value: 1 }).execute()
        return 'mine'
      })
    const results = await Promise.all(Array.from({ length: 20 }, takeName))
    expect(results.toSorted()).toEqual(['mine', ...Array.from({ length: 19 }, () => 'taken')])
  })

  test('rolls back when the work throws, and rejects with its error', async () => {
    await using database = await open()
    const failing = database.transaction(async (transaction) => {
      await transaction.insertInto('counters').values({ name: 'a', value: 1 }).execute()
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await readValue(database.read, 'a')).toBeUndefined()
  })

  test('fails even if its work catches a constraint error', async () => {
    await using database = await open()
    await database.batch([insert(database, 'a')])
    const pendingTransaction = database.transaction(async (transaction) => {
      await transaction.insertInto('counters').values({ name: 'b', value: 1 }).execute()
      const again = transaction.insertInto('counters').values({ name: 'a', value: 1 }).execute()
      await expect(again).rejects.toBeInstanceOf(ConstraintError)
    })
    await expect(pendingTransaction).rejects.toMatchObject({ name: 'ConstraintError', kind: 'unique' })
    expect(await readValue(database.read, 'b')).toBeUndefined()
  })

  test('rolls back after its timeout, and its handle stops working', async () => {
    let expire: () => void = () => undefined
    const after = (_delayMs: number, callback: () => void) => {
      expire = callback
      return () => undefined
    }
    await using home = await open()
    const database = await openPostgresDatabase({
      url: home.url,
      clock: { ...systemClock, after },
      random: Math.random,
    })
    let kept: Transaction | undefined
    const never = database.transaction(async (transaction) => {
      kept = transaction
      await transaction.insertInto('counters').values({ name: 'late', value: 1 }).execute()
      expire()
      await new Promise(() => undefined)
    })
    await expect(never).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 1000 })
    expect(await readValue(database.read, 'late')).toBeUndefined()
    await expect(kept?.selectFrom('counters').selectAll().execute()).rejects.toThrow('took too long')
    await database.close()
  })

  test('rejects outer handles inside it', async () => {
    await using database = await open()
    const misuseError = (use: () => Promise<unknown>) => database.transaction(() => use())
    await expect(misuseError(() => readValue(database.read, 'a'))).rejects.toThrow('inside an open transaction')
    await expect(misuseError(() => database.batch([insert(database, 'a')]))).rejects.toThrow(
      'inside an open transaction',
    )
    await expect(misuseError(() => database.transaction(async () => 1))).rejects.toThrow('inside an open transaction')
  })
})

describe('batch', () => {
  test('writes all statements or none, and names the rejected one', async () => {
    await using database = await open()
    await database.batch([insert(database, 'a'), update(database, 'a', 1), insert(database, 'b')])
    expect(await readValue(database.read, 'a')).toBe(2)

    const twice = database.batch([insert(database, 'c'), insert(database, 'a')])
    await expect(twice).rejects.toMatchObject({ name: 'ConstraintError', kind: 'unique', statement: 1 })
    const unexpected = database.batch([insert(database, 'c'), update(database, 'b', 1), update(database, 'nobody', 1)])
    await expect(unexpected).rejects.toEqual(new BatchConflictError(2))
    const orphan = { query: database.queryBuilder.insertInto('members').values(MEMBER).compile() }
    await expect(database.batch([insert(database, 'c'), orphan])).rejects.toMatchObject({ kind: 'foreign-key' })
    expect(await readValue(database.read, 'c')).toBeUndefined()
    expect(await readValue(database.read, 'b')).toBe(1)
  })

  test('works with prepared texts', async () => {
    await using database = await open()
    for (let round = 0; round < 10; round += 1) {
      await database.batch([insert(database, `round ${round}`), update(database, `round ${round}`, 1)])
      const refused = database.batch([insert(database, `other ${round}`), update(database, 'nobody', 1)])
      await expect(refused).rejects.toEqual(new BatchConflictError(1))
    }
    expect(await database.read.selectFrom('counters').select('value').distinct().execute()).toEqual([{ value: 2 }])
  })

  test('is visible at once without durability', async () => {
    await using database = await open()
    await database.batch([insert(database, 'a'), update(database, 'a', 1)], { durable: false })
    expect(await readValue(database.read, 'a')).toBe(2)
    const refused = database.batch([insert(database, 'b'), update(database, 'nobody', 1)], { durable: false })
    await expect(refused).rejects.toEqual(new BatchConflictError(1))
  })

  test('writes many concurrent batches in conflicting orders', async () => {
    await using database = await open()
    await database.batch(['a', 'b', 'c'].map((name) => insert(database, name)))
    const conflictingUnits = Array.from({ length: 6 }, (_, index) => {
      const names = index % 2 === 0 ? ['a', 'b', 'c'] : ['c', 'b', 'a']
      return database.batch([...names.map((name) => update(database, name, 1)), insert(database, `done ${index}`)])
    })
    await Promise.all(conflictingUnits)
    expect(await database.read.selectFrom('counters').select('name').execute()).toHaveLength(9)
  })
})

const MEMBER = { workspace_id: 4711, user_id: 'nobody', role: 'viewer', created_at: 0 } as const

describe('values', () => {
  test('are those of SQLite: numbers for integers and sums, 0 and 1 for booleans', async () => {
    await using database = await open()
    await database.batch([insert(database, 'a'), insert(database, 'b')])
    const { rows } = await sql`
      select sum(value) as total, count(*) as rows, max(value) as highest, 1 = 1 as yes, avg(value) as mean, null as nothing
      from counters`.execute(database.read)
    expect(rows).toEqual([{ total: 2, rows: 2, highest: 1, yes: 1, mean: 1, nothing: null }])
  })

  test('sort text by bytes, regardless of the server locale', async () => {
    await using database = await open()
    const names = ['b', 'B', 'a', 'A', 'ä', '_', 'é', '😀', '1']
    await database.batch(names.map((name) => insert(database, name)))
    const rows = await database.read.selectFrom('counters').select('name').orderBy('name').execute()
    expect(rows.map((row) => row.name)).toEqual(['1', 'A', 'B', '_', 'a', 'b', 'ä', 'é', '😀'])
  })

  test('`read` does not write', async () => {
    await using database = await open()
    const writing = database.read.insertInto('counters').values({ name: 'a', value: 1 }).execute()
    await expect(writing).rejects.toThrow('cannot write')
  })
})

describe('opening', () => {
  const made: string[] = []
  afterAll(async () => {
    for (const url of made) await dropTemporaryDatabase(SERVER_URL, url)
  })

  test('several nodes start on an empty database, and one migrates it', async () => {
    await using admin = await open()
    const name = `parley_empty_${process.pid}`
    made.push(buildDatabaseUrl(SERVER_URL, name))
    await sql`create database ${sql.id(name)}`.execute(admin.read)
    const url = buildDatabaseUrl(SERVER_URL, name)
    const nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgresDatabase({ url, clock: systemClock })))
    const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(
      nodes[0]?.read ?? admin.read,
    )
    expect(rows.map((row) => row.name)).toEqual(MIGRATIONS.map((step) => step.name))
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('rejects a database of a newer version', async () => {
    const url = await createTemporaryDatabase(SERVER_URL)
    made.push(url)
    const older = openPostgresDatabase({ url, clock: systemClock, migrations: MIGRATIONS.slice(0, -1) })
    await expect(older).rejects.toThrow('written by a newer version')
  })

  test('rejects a database without UTF8', async () => {
    await using admin = await open()
    const name = `parley_ascii_${process.pid}`
    const url = buildDatabaseUrl(SERVER_URL, name)
    made.push(url)
    await sql`create database ${sql.id(name)} template template0 encoding 'SQL_ASCII' locale 'C' locale_provider libc`.execute(
      admin.read,
    )
    await expect(openPostgresDatabase({ url, clock: systemClock })).rejects.toThrow(
      'The database encoding is SQL_ASCII, but UTF8 is required. Recreate the database with encoding UTF8.',
    )
  })

  test('a missing server or database is unavailable', async () => {
    const nowhere = openPostgresDatabase({ url: 'postgres://127.0.0.1:9/parley', clock: systemClock })
    await expect(nowhere).rejects.toMatchObject({ code: 'unavailable', message: 'The database cannot be reached.' })
    const unknown = openPostgresDatabase({ url: buildDatabaseUrl(SERVER_URL, 'parley_unknown'), clock: systemClock })
    await expect(unknown).rejects.toMatchObject({ code: 'unavailable' })
  })
})

const changesOf = (...tables: string[]) => ({ changedTables: new Set(tables), hasUnknownChanges: false })

test('conflicting transactions run in order of arrival, without blocking other tables', async () => {
  const time = createManualClock()
  const conflictQueue = new ConflictQueue(time.clock)
  const order: string[] = []
  const enter = async (name: string, ...tables: string[]) => {
    const leave = await conflictQueue.enter(changesOf(...tables), 1000)
    order.push(name)
    return leave
  }
  const first = await enter('first', 'agents', 'agent_versions')
  const second = enter('second', 'agent_versions', 'agents')
  const third = enter('third', 'agents', 'agent_versions')
  await enter('other', 'calls')
  expect(order).toEqual(['first', 'other'])
  first?.()
  const leaveQueue = await second
  expect(order).toEqual(['first', 'other', 'second'])
  leaveQueue?.()
  await third
  expect(order).toEqual(['first', 'other', 'second', 'third'])
  expect(time.countPendingTimers()).toBe(0)
})

test('gives up after a long wait without affecting the other queued transactions', async () => {
  const time = createManualClock()
  const conflictQueue = new ConflictQueue(time.clock)
  const first = await conflictQueue.enter(changesOf('agents'), 1000)
  const second = conflictQueue.enter(changesOf('agents'), 1000)
  const third = conflictQueue.enter(changesOf('agents'), 5000)
  await time.advance(1000)
  expect(await second).toBeNull()
  first?.()
  expect(await third).not.toBeNull()
})

test('a connection that breaks before its first query affects nothing else', async () => {
  const connections = new PostgresConnections(SERVER_URL, 2)
  const held = await connections.acquire()
  const { rows } = await connections.runOn(held, 'select pg_backend_pid() as pid')
  const ended = new Promise<void>((resolve) => held.on('end', resolve))
  await connections.run('select pg_terminate_backend($1)', [rows[0]?.['pid']])
  await ended
  await expect(connections.runOn(held, 'select 1')).rejects.toThrow()
  held.release(true)
  expect((await connections.run('select 1 as one', [])).rows).toEqual([{ one: 1 }])
  await connections.close()
})
