import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { JobRow } from '../../packages/server/src/tables/work-tables.ts'
import { eventually } from '../full/cluster.ts'
import type { NodeProcess } from './node-process.ts'
import type { NodeScene, Run } from './node-scene.ts'
import type { WorkPayload } from './node-worker.ts'

/** Timeout until held slots are free and jobs run again. */
export const TAKEOVER_TIMEOUT_MS = 15_000
/** Timeout until a resumed node detects its lost work. */
const LOSS_DETECTION_TIMEOUT_MS = 5_000
const SETTLE_TIMEOUT_MS = 20_000
/** More jobs than one node runs at once, so that each node gets some. */
const LONG_JOBS = 30
const MIN_HELD_JOBS = 10

export const ROUND_LIMITS: ReadonlyMap<number, number> = new Map([
  [1, 10],
  [2, 4],
])
/** The survivor holds the remaining slots. */
const TARGET_LEASE_COUNTS: ReadonlyMap<number, number> = new Map([
  [1, 6],
  [2, 4],
])

export interface Round {
  readonly target: NodeProcess
  readonly takeoverNode: NodeProcess
  /** Name of the node's connections. */
  readonly targetName: string
  readonly name: string
  readonly ending: 'kill' | 'pause'
}

/** States of the round's jobs at different times. */
interface JobSnapshots {
  /** Time after which the victim could not write. */
  readonly atEnd: readonly JobRow[]
  /** Time when everything was taken over. */
  readonly afterTakeover: readonly JobRow[]
  readonly settled: readonly JobRow[]
}

const SHORT_STEP = { holdMs: 10, stopsOnAbort: true }
const UNTIL_RELEASED = { holdMs: null, stopsOnAbort: true }
/** Jobs that a resumed node finishes before it detects the takeover. */
const IGNORES_ABORT = { holdMs: 6_000, stopsOnAbort: false }
/** Jobs that still run when the suspended node resumes. */
const SLOW_STEP = { holdMs: 6_000, stopsOnAbort: true }

/** Kills or suspends one of two nodes that hold leases and run jobs, and checks the outcome. */
export async function runRound(scene: NodeScene, round: Round): Promise<void> {
  const { target, takeoverNode, name, ending } = round
  await acquireAllLeases(round)
  const longIds = await startLongJobs(scene, round)
  for (const node of [target, takeoverNode]) await node.ask('stream', { group: name, steps: [SHORT_STEP] })
  await sleep(200 + Math.random() * 500)
  if (ending === 'kill') await target.kill()
  else target.pause()
  const endedAt = Date.now()
  const atEnd = await readJobsAfterStop(scene, round)
  const held = runningOn(target, atEnd)
  expect(held.filter(({ job_id }) => longIds.has(job_id)).length).toBeGreaterThanOrEqual(MIN_HELD_JOBS)
  await sleep(300)
  await takeoverNode.ask('stopStream')
  await takeoverNode.ask('releaseWaitingJobs')

  const remainingMs = TAKEOVER_TIMEOUT_MS - (Date.now() - endedAt)
  const [reacquired] = await Promise.all([
    acquireTargetLeases(scene, round, remainingMs),
    waitForTakeover(scene, round, { held, remainingMs }),
  ])
  expect(Date.now() - endedAt).toBeLessThan(TAKEOVER_TIMEOUT_MS)
  const afterTakeover = await readJobsOf(scene, round)
  if (ending === 'pause') {
    // A resumed node could finish a job that the other node is running.
    expect(afterTakeover.some((job) => job.status === 'running' && isSlowStep(job))).toBe(true)
    await resumeTarget(round, held)
  }
  const settled = await eventually('all jobs done', SETTLE_TIMEOUT_MS, async () => {
    const jobs = await readJobsOf(scene, round)
    return jobs.every(({ status }) => status === 'done') ? jobs : null
  })
  checkJobs(round, { atEnd, afterTakeover, settled }, await scene.readRuns())
  checkAcknowledged(round, settled, longIds)
  await takeoverNode.ask('release', [...reacquired, ...leaseIdsOf(round, 'takeoverNode')])
  expect(await scene.countLeases()).toBe(0)
}

function leaseIdsOf({ name }: Round, who: 'target' | 'takeoverNode', workspaceId?: number): string[] {
  const counts = [...ROUND_LIMITS].map(([id, limit]) => {
    const targetCount = TARGET_LEASE_COUNTS.get(id) ?? 0
    return [id, who === 'target' ? targetCount : limit - targetCount] as const
  })
  return counts
    .filter(([id]) => workspaceId === undefined || id === workspaceId)
    .flatMap(([id, count]) => Array.from({ length: count }, (_, index) => `${name} ${who} ${id} ${index}`))
}

/** Both nodes take slots until none is left. */
async function acquireAllLeases(round: Round): Promise<void> {
  const { target, takeoverNode, name } = round
  for (const workspaceId of ROUND_LIMITS.keys()) {
    for (const who of ['target', 'takeoverNode'] as const) {
      const leaseIds = leaseIdsOf(round, who, workspaceId)
      const acquired = await round[who].ask('take', { workspaceId, leaseIds })
      expect(acquired).toEqual(leaseIds.map(() => true))
    }
    for (const node of [target, takeoverNode]) {
      expect(await node.ask('take', { workspaceId, leaseIds: [`${name} too many`] })).toEqual([false])
    }
  }
}

/** Starts jobs that outlive the victim. Resolves once all have started. */
async function startLongJobs(scene: NodeScene, round: Round): Promise<ReadonlySet<string>> {
  const { takeoverNode, name: group, ending } = round
  const kinds: readonly WorkPayload[] = [
    { group, steps: [IGNORES_ABORT, SHORT_STEP] },
    { group, steps: [IGNORES_ABORT, ending === 'pause' ? SLOW_STEP : SHORT_STEP] },
    { group, steps: [UNTIL_RELEASED, SHORT_STEP] },
  ]
  const payloads = Array.from({ length: LONG_JOBS }, (_, index) => kinds[index % kinds.length] as WorkPayload)
  const ids = new Set(await takeoverNode.ask('write', payloads))
  await eventually('long jobs begun', 10_000, async () => {
    const startedRuns = (await scene.readRuns()).filter(({ job_id }) => ids.has(job_id))
    return startedRuns.length === ids.size ? startedRuns : null
  })
  return ids
}

const workOf = ({ payload }: JobRow): WorkPayload => JSON.parse(payload) as WorkPayload

async function readJobsOf(scene: NodeScene, { name }: Round): Promise<JobRow[]> {
  return (await scene.readJobs()).filter((job) => workOf(job).group === name)
}

/** Statements that the victim sent before it ended may still run. */
async function readJobsAfterStop(scene: NodeScene, round: Round): Promise<JobRow[]> {
  if (round.ending === 'pause') await sleep(500)
  else {
    const check = async () => ((await scene.countConnections(round.targetName)) === 0 ? true : null)
    await eventually('connections of the dead closed', 5_000, check, 20)
  }
  return await readJobsOf(scene, round)
}

const runningOn = ({ workerId }: NodeProcess, jobs: readonly JobRow[]): JobRow[] =>
  jobs.filter(({ status, leased_by }) => status === 'running' && leased_by === workerId)

/** Waits until the survivor gets all slots of the victim. Returns the new leases. */
async function acquireTargetLeases(
  scene: NodeScene,
  { target, takeoverNode, name }: Round,
  remainingMs: number,
): Promise<string[]> {
  const reacquired = await Promise.all(
    [...TARGET_LEASE_COUNTS].map(async ([workspaceId, count]) => {
      const leaseIds = Array.from({ length: count }, (_, index) => `${name} retaken ${workspaceId} ${index}`)
      await eventually(`slots of workspace ${workspaceId} free`, remainingMs, async () => {
        const acquired = await takeoverNode.ask('take', { workspaceId, leaseIds })
        return acquired.every(Boolean) ? acquired : null
      })
      expect(await takeoverNode.ask('take', { workspaceId, leaseIds: [`${name} too many`] })).toEqual([false])
      return leaseIds
    }),
  )
  expect(await scene.countLeases(target.nodeId)).toBe(0)
  expect(await scene.countLive()).toEqual(ROUND_LIMITS)
  return reacquired.flat()
}

interface TakeoverOptions {
  readonly held: readonly JobRow[]
  readonly remainingMs: number
}

/** Waits until every job of the victim has restarted and all short jobs have finished. */
async function waitForTakeover(scene: NodeScene, round: Round, { held, remainingMs }: TakeoverOptions): Promise<void> {
  const isSlow = new Map(held.map((job) => [job.job_id, isSlowStep(job)]))
  await eventually('jobs taken over', remainingMs, async () => {
    const runs = await scene.readRuns()
    const startedRuns = new Set(runs.map(({ job_id, attempt }) => `${job_id} ${attempt}`))
    const jobs = (await readJobsOf(scene, round)).filter(({ job_id }) => isSlow.has(job_id))
    const areReplacementsStarted = held.every(({ job_id, attempts }) => startedRuns.has(`${job_id} ${attempts + 1}`))
    return areReplacementsStarted && jobs.every(({ job_id, status }) => isSlow.get(job_id) || status === 'done')
      ? jobs
      : null
  })
}

const isSlowStep = (job: JobRow): boolean => workOf(job).steps[1]?.holdMs === SLOW_STEP.holdMs

/** Resumes the suspended node, which notices its lost work and does not finish it. */
async function resumeTarget({ target, ...round }: Round, held: readonly JobRow[]): Promise<void> {
  const before = target.events.length
  target.resume()
  const lost = leaseIdsOf({ target, ...round }, 'target').toSorted()
  const stepOf = (job: JobRow) => workOf(job).steps[job.attempts - 1] ?? SHORT_STEP
  const untilReleased = held.filter((job) => stepOf(job).holdMs === UNTIL_RELEASED.holdMs)
  const ignoringAbort = held.filter((job) => !stepOf(job).stopsOnAbort)
  await eventually('losses noticed', LOSS_DETECTION_TIMEOUT_MS, async () => {
    const events = target.events.slice(before)
    const logged = events.flatMap((event) => (event.event === 'logged' ? [event.text] : []))
    const aborted = new Set(events.flatMap((event) => (event.event === 'aborted' ? [event.jobId] : [])))
    const refused = ignoringAbort.filter(({ job_id }) =>
      logged.some((text) => text.startsWith(`lost the lease of job work ${job_id}`)),
    )
    const count = events.filter(({ event }) => event === 'lost').length
    return count >= lost.length &&
      untilReleased.every(({ job_id }) => aborted.has(job_id)) &&
      refused.length === ignoringAbort.length
      ? true
      : null
  })
  const lostLeaseIds = target.events.slice(before).flatMap((event) => (event.event === 'lost' ? [event.leaseId] : []))
  expect(lostLeaseIds.toSorted()).toEqual(lost)
  await target.ask('stopStream')
}

/** Checks that finished work is kept, the killed node's work runs again, and the rest finishes. */
function checkJobs({ target, takeoverNode, ending }: Round, snapshots: JobSnapshots, allRuns: readonly Run[]): void {
  const { atEnd, afterTakeover, settled } = snapshots
  const final = new Map(settled.map((job) => [job.job_id, job]))
  const runs = Map.groupBy(allRuns, ({ job_id }) => job_id)
  for (const before of [...atEnd, ...afterTakeover]) {
    if (before.status === 'done') expect(final.get(before.job_id)).toEqual(before)
  }
  for (const before of atEnd) {
    const { job_id, attempts, status, leased_by } = before
    const own = runs.get(job_id) ?? []
    const seen = own.map(({ attempt, node_id }) => ({ attempt, node_id }))
    const after = final.get(job_id)
    if (status === 'done') expect(own).toHaveLength(1)
    if (status === 'running' && leased_by === takeoverNode.workerId) {
      expect(after?.attempts).toBe(attempts)
      expect(seen).toEqual([{ attempt: attempts, node_id: takeoverNode.nodeId }])
    }
    if (status === 'running' && leased_by === target.workerId) {
      expect(after?.attempts).toBe(attempts + 1)
      const again = { attempt: attempts + 1, node_id: takeoverNode.nodeId }
      // A job that was claimed but never started leaves no other trace.
      expect([[again], [{ attempt: attempts, node_id: target.nodeId }, again]]).toContainEqual(seen)
      const startedRuns = own.find(({ attempt }) => attempt === attempts + 1)
      const elapsedMs = (after?.ended_at ?? 0) - (startedRuns?.began_at ?? 0)
      if (isSlowStep(before)) expect(elapsedMs).toBeGreaterThanOrEqual(SLOW_STEP.holdMs - 100)
    }
    // Jobs that a suspended node was about to claim may run twice.
    if (status === 'pending' && ending === 'kill') expect(seen).toEqual([{ attempt: 1, node_id: takeoverNode.nodeId }])
  }
  for (const { job_id, attempts } of settled) {
    const seen = (runs.get(job_id) ?? []).map(({ attempt }) => attempt)
    expect(new Set(seen).size).toBe(seen.length)
    expect(Math.max(...seen)).toBe(attempts)
  }
}

/** Checks that nothing acknowledged is missing and that the survivor lost nothing. */
function checkAcknowledged(
  { target, takeoverNode, name }: Round,
  settled: readonly JobRow[],
  ids: ReadonlySet<string>,
): void {
  const stored = new Set(settled.map(({ job_id }) => job_id))
  const isOfRound = new Set(ids)
  for (const event of [...target.events, ...takeoverNode.events]) {
    if (event.event !== 'wrote' || event.group !== name) continue
    for (const jobId of event.jobIds) isOfRound.add(jobId)
  }
  expect([...isOfRound].filter((id) => !stored.has(id))).toEqual([])
  expect(isOfRound.size).toBeGreaterThan(ids.size)
  const losses = takeoverNode.events.filter(
    (event) =>
      (event.event === 'lost' && event.leaseId.startsWith(name)) ||
      (event.event === 'aborted' && stored.has(event.jobId)),
  )
  expect(losses).toEqual([])
}
