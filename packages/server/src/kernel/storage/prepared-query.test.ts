import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Tables } from '../../tables/tables.ts'
import { prepareQuery, prepareStatement } from './prepared-query.ts'

const sqlite = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})
const postgres = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

describe('prepareStatement', () => {
  function createRename() {
    const builds: string[] = []
    const rename = prepareStatement<{ id: number; name: string }>((queryBuilder, param) => {
      builds.push('built')
      return queryBuilder
        .updateTable('workspaces')
        .set({ name: param('name'), concurrency_base: 7 })
        .where('workspace_id', '=', param('id'))
        .where('name', '!=', param('name'))
    })
    return { builds, rename }
  }

  test('compiles once and fills each slot with its value', () => {
    const { builds, rename } = createRename()
    const first = rename({ queryBuilder: sqlite }, { id: 1, name: 'one' })
    const second = rename({ queryBuilder: sqlite }, { id: 2, name: 'two' })
    expect(builds).toHaveLength(1)
    expect(first.parameters).toEqual(['one', 7, 1, 'one'])
    expect(second.parameters).toEqual(['two', 7, 2, 'two'])
    expect(second.sql).toBe(
      sqlite
        .updateTable('workspaces')
        .set({ name: '', concurrency_base: 7 })
        .where('workspace_id', '=', 0)
        .where('name', '!=', '')
        .compile().sql,
    )
    expect(second.query.kind).toBe('UpdateQueryNode')
  })

  test('keeps statements of two dialects separate', () => {
    const { builds, rename } = createRename()
    const args = { id: 1, name: 'one' }
    expect(rename({ queryBuilder: sqlite }, args).sql).toContain('= ?')
    expect(rename({ queryBuilder: postgres }, args).sql).toContain('= $3')
    expect(rename({ queryBuilder: sqlite }, args).sql).toContain('= ?')
    expect(builds).toHaveLength(2)
  })

  test('accepts slots in inserted rows, nulls and limits', () => {
    const insert = prepareStatement<{ id: string; error: string | null }>((queryBuilder, param) =>
      queryBuilder.insertInto('jobs').values({
        job_id: param('id'),
        kind: 'k',
        workspace_id: 0,
        payload: '{}',
        status: 'done',
        run_at: 1,
        attempts: 0,
        max_attempts: 1,
        leased_by: null,
        lease_until: null,
        last_error: param('error'),
        created_at: 1,
        ended_at: null,
      }),
    )
    const { parameters } = insert({ queryBuilder: sqlite }, { id: 'job_1', error: null })
    expect(parameters[0]).toBe('job_1')
    expect(parameters).not.toContainEqual(expect.objectContaining({ name: 'error' }))
    const selectJobs = prepareStatement<{ most: number }>((queryBuilder, param) =>
      queryBuilder.selectFrom('jobs').select('job_id').limit(param('most')),
    )
    expect(selectJobs({ queryBuilder: sqlite }, { most: 3 }).parameters).toEqual([3])
  })
})

test('prepareQuery executes with the given values and returns the rows', async () => {
  const executedParameters: unknown[] = []
  const find = prepareQuery<{ id: number }, { name: string }>((reader, param) =>
    reader.selectFrom('workspaces').select('name').where('workspace_id', '=', param('id')),
  )
  const executor: Parameters<typeof find>[0] = Object.assign(Object.create(sqlite), {
    executeQuery: async (query: { parameters: readonly unknown[] }) => {
      executedParameters.push(query.parameters)
      return { rows: [{ name: `name ${query.parameters[0]}` }] }
    },
    getExecutor: () => sqlite.getExecutor(),
    selectFrom: sqlite.selectFrom.bind(sqlite),
  })
  expect(await find(executor, { id: 1 })).toEqual([{ name: 'name 1' }])
  expect(await find(executor, { id: 2 })).toEqual([{ name: 'name 2' }])
  expect(executedParameters).toEqual([[1], [2]])
})
