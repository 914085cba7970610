import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporarySqliteDatabase } from '../../../../../testing/temporary-database.ts'
import { ArchiveError, explainFailure } from './archive-error.ts'
import { parseAddress, toSqliteAddress } from './connection.ts'
import { createStopTransform, openConnection } from './installation.ts'
import { createTableDigest } from './table-digest.ts'
import { buildShapes, type DescribedTable, getTableRole } from './table-shape.ts'

describe('addresses', () => {
  test('are printed without their password', () => {
    const { location } = parseAddress('postgres://ann:s3cret@db.example:5433/parley?password=s3cret&sslmode=require')
    expect(location).toBe('postgres://ann@db.example:5433/parley')
    expect(parseAddress('sqlite:/data/parley.db')).toEqual(toSqliteAddress('/data/parley.db'))
  })

  test.each(['', 'sqlite:', 'mysql://a/b', 'postgres://host', 'postgres://', '/data/parley.db', 'postgres://a:b:c/d'])(
    'rejects %j without repeating it',
    (text) => {
      expect(() => parseAddress(text)).toThrow(ArchiveError)
      expect(() => parseAddress(text)).toThrow(/^The database address is not valid: use postgres:/)
    },
  )
})

describe('failures', () => {
  test.each([
    [{ code: 'ECONNREFUSED' }, 'db refuses connections: check the address and port, and that the server is running.'],
    [{ code: '28P01', severity: 'FATAL' }, 'db rejects the login: check the user and password in the address.'],
    [{ code: 'ENOSPC', path: '/x/y' }, '/x/y cannot be written: the disk is full. Free some space and try again.'],
    [{ errcode: 13 }, 'db cannot be written: the disk is full. Free some space and try again.'],
    [{ errcode: 26 }, 'db is not a Parley database.'],
    [
      new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
      'db requires a password: set PGPASSWORD, or add it to the address.',
    ],
    [new Error('Connection terminated unexpectedly'), 'db closed the connection: try again.'],
    [new Error('a fault of ours'), null],
    [undefined, null],
  ])('explains %o in one sentence', (error, sentence) => {
    expect(explainFailure(error, 'db')).toBe(sentence)
  })
})

describe('tables', () => {
  test('every table has a role', async () => {
    await using database = await temporarySqliteDatabase()
    await using connection = await openConnection(toSqliteAddress(database.file), 'read')
    const unknown = (await connection.describeTables())
      .map(({ name }) => name)
      .filter((name) => getTableRole(name) === null)
    // Triggers and migrations maintain these tables.
    expect(unknown.filter((name) => !/^(migrations|call_agents|call_search.*)$/.test(name))).toEqual([])
  })

  test('follow the tables that they reference, in whatever order they are listed', () => {
    const table = (name: string, references: string[] = []): DescribedTable => ({
      name,
      references,
      key: ['id'],
      columns: [{ name: 'id', type: 'TEXT' }],
    })
    const tables = [
      table('messages', ['chats']),
      table('chats', ['workspaces']),
      table('workspaces', ['tenants']),
      table('tenants'),
      table('nodes'),
    ]
    const permutations = fc.shuffledSubarray(tables, { minLength: tables.length })
    fc.assert(
      fc.property(permutations, (shuffled) => {
        expect(buildShapes(shuffled).map(({ name }) => name)).toEqual(['tenants', 'workspaces', 'chats', 'messages'])
      }),
    )
  })

  test('digests depend on rows and their order, not on batches', () => {
    const digestOf = (...rowBatches: string[][]) => {
      const digest = createTableDigest()
      for (const rowBatch of rowBatches) digest.add(rowBatch)
      return digest.finish()
    }
    const lines = fc.array(fc.json().map((text) => JSON.stringify([text])))
    fc.assert(
      fc.property(lines, fc.nat(20), (all, cut) => {
        const whole = digestOf(all)
        expect(digestOf(all.slice(0, cut), all.slice(cut))).toEqual(whole)
        expect(digestOf([...all, '[1]']).sha256).not.toBe(whole.sha256)
      }),
    )
  })
})

test('a running job becomes pending again without the attempt; a pending one is unchanged', () => {
  const columns = ['attempts', 'leased_by', 'lease_until', 'status'].map((name) => ({ name, kind: 'text' as const }))
  const settle = createStopTransform({ name: 'jobs', columns, key: ['status'] }, 99)
  expect(settle([3, 'node', 5, 'running'])).toEqual([2, null, null, 'pending'])
  expect(settle([3, null, null, 'done'])).toEqual([3, null, null, 'done'])
})
