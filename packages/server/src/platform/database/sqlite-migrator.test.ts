import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { temporarySqliteDatabase } from '../../../../../testing/temporary-database.ts'
import { systemClock } from '../system.ts'
import { MIGRATIONS, migrate } from './migrator.ts'
import { openDatabase } from './sqlite-database.ts'

const known = MIGRATIONS.map(({ name }) => ({ name, up: () => Promise.reject(new Error('applied twice')) }))

describe('migrate', () => {
  test('opens an up-to-date file without changes', async () => {
    await using database = await temporarySqliteDatabase()
    await database.close()
    const again = await openDatabase({ file: database.file, clock: systemClock })
    await again.close()
  })

  test('applies missing migrations in order, each once', async () => {
    await using database = await temporarySqliteDatabase()
    const applied: string[] = []
    const step = (name: string) => ({ name, up: async () => void applied.push(name) })
    await migrate(database, systemClock, [...known, step('0102-a'), step('0103-b')])
    await migrate(database, systemClock, [...known, step('0102-a'), step('0103-b'), step('0104-c')])
    expect(applied).toEqual(['0102-a', '0103-b', '0104-c'])
  })

  test('a failed migration leaves nothing behind', async () => {
    await using database = await temporarySqliteDatabase()
    const broken = migrate(database, systemClock, [
      ...known,
      {
        name: '0102-broken',
        async up(transaction) {
          await transaction.schema.createTable('half').addColumn('id', 'text').execute()
          throw new Error('no further')
        },
      },
    ])
    await expect(broken).rejects.toThrow('no further')
    await expect(sql`select * from half`.execute(database.read)).rejects.toThrow('no such table')
  })

  test('rejects a database of a newer version', async () => {
    await using database = await temporarySqliteDatabase()
    await migrate(database, systemClock, [...known, { name: '0199-later', up: async () => undefined }])
    await database.close()
    await expect(openDatabase({ file: database.file, clock: systemClock })).rejects.toThrow(
      /newer version of Parley \(migration 0199-later\)/,
    )
  })
})

test('migrates an installation of the first release with all its data', async () => {
  await using scratch = await temporarySqliteDatabase()
  const file = `${scratch.file}.first`
  const first = await openDatabase({ file, clock: systemClock, migrations: MIGRATIONS.slice(0, 1) })
  const run = (text: string) => ({ query: sql.raw(text).compile(first.queryBuilder) })
  await first.batch([
    run("insert into tenants values ('account', '/default/main', 'Main', 5)"),
    run("insert into workspaces values (7, 'account', 'Mine', 0, 20, 0, 100, 5)"),
    run("insert into users values ('user_1', 'Me@Example.com', 'hash', 'platform_admin', 5)"),
    run(`insert into chats values ('chat_1', 7, 'agent_1', 1, null, 'llm', null, null, 'web_chat', 'ongoing', '{}', '{}', '{}', '{}',
      '{}', null, 0, 0, 5, null, 5)`),
  ])
  await first.close()
  const database = await openDatabase({ file, clock: systemClock })
  const { read } = database
  const provider = await read.selectFrom('providers').selectAll().executeTakeFirstOrThrow()
  expect(provider).toMatchObject({ slug: 'default', markup_percent: 0 })
  expect(await read.selectFrom('tenants').select(['account_sid', 'provider_id']).execute()).toEqual([
    { account_sid: 'account', provider_id: provider.provider_id },
  ])
  expect(await read.selectFrom('users').selectAll().executeTakeFirst()).toMatchObject({
    email: 'me@example.com',
    name: '',
    provider_id: null,
    account_sid: null,
  })
  expect(await read.selectFrom('chats').select('markup_percent').execute()).toEqual([{ markup_percent: 0 }])
  await database.close()
})

describe('the schema', () => {
  test('reads pages of a workspace by an index, without sorting', async () => {
    await using database = await temporarySqliteDatabase()
    const queries = [
      "select * from resources where workspace_id = 1 and kind = 'llm' and (created_at, resource_id) < (5, 'x') order by created_at desc, resource_id desc",
      "select * from resource_versions where engine_id = 'x'",
      'select * from chats where workspace_id = 1 order by started_at desc, chat_id desc',
      "select * from chats where workspace_id = 1 and agent_id = 'a' and status = 'ongoing' order by started_at desc, chat_id desc",
      "select * from messages where chat_id = 'c' order by position",
      "select * from jobs where status = 'pending' and run_at <= 5 order by run_at",
      "select * from turns where status = 'running'",
    ]
    for (const query of queries) {
      const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(query)}`.execute(database.read)
      const plan = rows.map(({ detail }) => detail).join('; ')
      expect(plan, query).toContain('USING INDEX')
      expect(plan, query).not.toContain('TEMP B-TREE')
    }
  })

  test('finds the live version without reading others', async () => {
    await using database = await temporarySqliteDatabase()
    const query = "select max(version) from resource_versions where resource_id = 'a' and published_at is not null"
    const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(query)}`.execute(database.read)
    expect(rows.map(({ detail }) => detail).join('; ')).toContain('COVERING INDEX resource_versions_published')
  })

  test('deletes children with their parent', async () => {
    await using database = await temporarySqliteDatabase()
    const run = (text: string) => ({ query: sql.raw(text).compile(database.queryBuilder) })
    await database.batch([
      run("insert into tenants (account_sid, account_path, name, created_at) values ('t', '/t', 'T', 1)"),
      run("insert into workspaces values (1, 't', 'W', 0, 20, 0, 0, 1)"),
      run("insert into users (user_id, email, password_hash, role, created_at) values ('u', 'e', 'h', 'end_user', 1)"),
      run("insert into api_tokens values ('k', 'hash', 'u', 'n', '[]', null, null, null, null, 1)"),
      run("insert into resources values ('l', 'llm', 1, 0, null, 1, 1, 1)"),
      run(
        "insert into resource_versions (resource_id, version, definition, engine_pinned, created_at, updated_at) values ('l', 0, '{}', 0, 1, 1)",
      ),
    ])
    await database.batch([run('delete from users'), run('delete from tenants')])
    for (const table of ['workspaces', 'api_tokens', 'resources', 'resource_versions']) {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(database.read)
      expect(rows, table).toEqual([])
    }
  })
})
