import { sql } from 'kysely'
import type { JobRow } from '../../packages/server/src/tables/work-tables.ts'
import type { PrivatePostgres } from '../../testing/private-postgres.ts'
import { seedWorkspaces } from '../../testing/seed-workspaces.ts'
import { type TemporaryPostgresDatabase, temporaryPostgresDatabase } from '../../testing/temporary-postgres-database.ts'

/** One execution of a job, written by its handler. */
export interface Run {
  readonly job_id: string
  readonly attempt: number
  readonly node_id: string
  /** Time of the handler call, by the shared clock. */
  readonly began_at: number
}

/** A database for nodes without features, with queries for tests. */
export interface NodeScene extends AsyncDisposable {
  readonly database: TemporaryPostgresDatabase
  readJobs(): Promise<JobRow[]>
  /** Sorted by attempt, because a suspended node records its job only after it resumes. */
  readRuns(): Promise<Run[]>
  /** Returns the number of live leases by workspace, in database time. */
  countLive(): Promise<Map<number, number>>
  /** Returns all stored leases of a holder, or of all holders. */
  countLeases(holder?: string): Promise<number>
  /** Returns the open connections of a node. */
  countConnections(name: string): Promise<number>
}

/** Creates the database with workspaces of these limits. */
export async function openScene(postgres: PrivatePostgres, limits: ReadonlyMap<number, number>): Promise<NodeScene> {
  const database = await temporaryPostgresDatabase(postgres.url)
  await seedWorkspaces(database, [...limits.keys()])
  const execute = async <Row>(query: ReturnType<typeof sql<Row>>) => (await query.execute(database.read)).rows
  for (const [id, limit] of limits) {
    await execute(sql`update workspaces set concurrency_base = ${limit} where workspace_id = ${id}`)
  }
  await execute(sql`create table runs (
    job_id text not null, attempt integer not null, node_id text not null, began_at bigint not null)`)
  return {
    database,
    readJobs: () => database.read.selectFrom('jobs').selectAll().orderBy('run_at').orderBy('job_id').execute(),
    readRuns: () => execute(sql<Run>`select * from runs order by job_id, attempt`),
    async countLive() {
      const rows = await execute(sql<{ workspace_id: number; live: number }>`
        select workspace_id, count(*) as live from leases
        where expires_at > extract(epoch from clock_timestamp()) * 1000 group by workspace_id`)
      return new Map(rows.map(({ workspace_id, live }) => [workspace_id, Number(live)]))
    },
    async countLeases(holder) {
      const [row] = await execute(sql<{ held: number }>`
        select count(*) as held from leases where ${holder ?? null}::text is null or holder = ${holder ?? null}`)
      return Number(row?.held)
    },
    async countConnections(name) {
      const [row] = await execute(sql<{ open: number }>`
        select count(*) as open from pg_stat_activity
        where application_name = ${name} and datname = current_database()`)
      return Number(row?.open)
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
