import type { JsonValue } from '@parley/engine/ports'
import { sql } from 'kysely'
import type { Database } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import type { Job } from '../../kernel/work/jobs.ts'
import type { JobRow } from '../../tables/work-tables.ts'

interface Claim {
  readonly now: number
  readonly leaseUntil: number
  readonly limit: number
}

/** Claims jobs of the kinds that a worker handles. */
export interface JobClaims {
  /** Returns the time when the next pending job can start, or null if there is none. */
  readNextRunAt(): Promise<number | null>
  /**
   * Claims jobs that are ready to run. Workspaces with fewer jobs running on this worker come first, so that no backlog delays
   * others. Workspaces with equally many jobs take turns, oldest job first. Claiming counts as an attempt, so a crash uses up
   * one attempt.
   */
  claim(claim: Claim): Promise<Job[]>
}

export interface JobClaimsOptions {
  readonly kinds: readonly string[]
  readonly leasedBy: string
  /** Maximum number of concurrent jobs of one workspace on this worker. Jobs without a workspace are not limited. */
  readonly maxPerWorkspace: number
}

interface ClaimSlots extends Claim {
  /** Number of candidates read for each workspace. */
  readonly candidates: number
  /** Workspace served last. Among equal workspaces, the workspaces after this one come first. */
  readonly lastWorkspaceId: number
}

/** Workspace id of jobs that belong to the whole installation. */
export const NO_WORKSPACE = 0

/** Candidates per slot, because other workers may lock some candidates first. */
const CANDIDATE_FACTOR = 3

export function createJobClaims(
  database: Pick<Database, 'read' | 'transaction' | 'capabilities'>,
  options: JobClaimsOptions,
): JobClaims {
  const { skipLocked } = database.capabilities
  const findNextJob = prepareQuery((reader) =>
    reader
      .selectFrom('jobs')
      .select('run_at')
      .where('status', '=', 'pending')
      .where('kind', 'in', options.kinds)
      .orderBy('run_at')
      .limit(1),
  )
  const claimReadyJobs = prepareClaim(options, skipLocked)
  let lastWorkspaceId = NO_WORKSPACE
  return {
    readNextRunAt: async () => (await findNextJob(database.read, {}))[0]?.run_at ?? null,
    async claim(claim) {
      // Two claims never take the same row, because each claim skips rows that the other has locked.
      const isolation = 'read-committed'
      const slots = { ...claim, lastWorkspaceId, candidates: claim.limit * (skipLocked ? CANDIDATE_FACTOR : 1) }
      const rows = await database.transaction((transaction) => claimReadyJobs(transaction, slots), { isolation })
      lastWorkspaceId = findLastServedWorkspace(rows, lastWorkspaceId)
      return rows.sort((a, b) => a.run_at - b.run_at).map(toJob)
    },
  }
}

/**
 * Prepares one statement that finds workspaces with pending jobs by one index lookup each, reads their oldest ready jobs, and
 * takes the jobs in rounds. `place` is the number of running jobs of the workspace, including this job.
 */
function prepareClaim({ kinds, leasedBy, maxPerWorkspace }: JobClaimsOptions, skipLocked: boolean) {
  return prepareQuery<ClaimSlots, JobRow>((reader, param) => {
    const oldestJobs = sql`
      select job_id from jobs as due
      where due.status = 'pending' and due.workspace_id = turns.workspace_id
        and due.run_at <= ${param('now')} and due.kind in (${sql.join(kinds)})
      order by due.run_at limit ${param('candidates')}`
    // SQLite has no lateral joins, while PostgreSQL would run a subquery in a condition for every row.
    const jobJoin = skipLocked
      ? sql`cross join lateral (${oldestJobs}) as picked join jobs on jobs.job_id = picked.job_id`
      : sql`join jobs on jobs.job_id in (${oldestJobs})`
    const lockClause = skipLocked ? sql`for update of jobs skip locked` : sql``
    const statement = sql<JobRow>`
      with recursive turns(workspace_id) as (
        select min(workspace_id) from jobs where status = 'pending'
        union all
        select (select min(next.workspace_id) from jobs as next
                where next.status = 'pending' and next.workspace_id > turns.workspace_id)
        from turns where turns.workspace_id is not null
      ),
      candidates as (
        select jobs.job_id, jobs.workspace_id, jobs.run_at,
          (select count(*) from jobs as busy
           where busy.status = 'running' and busy.workspace_id = turns.workspace_id and busy.leased_by = ${leasedBy})
          + row_number() over (partition by turns.workspace_id order by jobs.run_at) as place
        from turns ${jobJoin}
      ),
      due as (
        select jobs.job_id from candidates join jobs on jobs.job_id = candidates.job_id
        where jobs.status = 'pending'
          and (candidates.workspace_id = ${NO_WORKSPACE} or candidates.place <= ${maxPerWorkspace})
        order by candidates.place,
          case when candidates.workspace_id > ${param('lastWorkspaceId')} then 0 else 1 end,
          candidates.workspace_id, candidates.run_at
        limit ${param('limit')} ${lockClause}
      )
      update jobs
      set status = 'running', leased_by = ${leasedBy}, lease_until = ${param('leaseUntil')}, attempts = attempts + 1
      where job_id in (select due.job_id from due)
      returning *`
    return { compile: () => statement.compile(reader) }
  })
}

/** Returns the last of the served workspaces, in the cyclic order that starts after `lastWorkspaceId`. */
function findLastServedWorkspace(rows: readonly JobRow[], lastWorkspaceId: number): number {
  const servedIds = rows.map((row) => row.workspace_id)
  const wrappedIds = servedIds.filter((id) => id <= lastWorkspaceId)
  return Math.max(...(wrappedIds.length > 0 ? wrappedIds : servedIds.length > 0 ? servedIds : [lastWorkspaceId]))
}

function toJob(row: JobRow): Job {
  return {
    jobId: row.job_id,
    kind: row.kind,
    payload: JSON.parse(row.payload) as JsonValue,
    ...(row.workspace_id !== NO_WORKSPACE && { workspaceId: row.workspace_id }),
    attempt: row.attempts,
    maxAttempts: row.max_attempts,
  }
}
