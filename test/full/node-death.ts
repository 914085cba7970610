import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { JobRow } from '../../packages/server/src/tables/work-tables.ts'
import { eventually } from './cluster.ts'
import type { NodeProcess } from './node-process.ts'
import type { NodeScene, Run } from './node-scene.ts'
import type { WorkPayload } from './node-worker.ts'

/** What was held is free and runs again by then. */
export const TAKEN_OVER_WITHIN_MS = 15_000
/** A node that wakes up learns by then what it has lost. */
const NOTICED_WITHIN_MS = 5_000
const SETTLED_WITHIN_MS = 20_000
/** More than one node runs at once, so that each has got some of them. */
const LONG_JOBS = 30
const LEAST_HELD_JOBS = 10

export const ROUND_LIMITS: ReadonlyMap<number, number> = new Map([
  [1, 10],
  [2, 4],
])
/** The rest of the slots is the survivor's; together they hold them all. */
const OF_VICTIM: ReadonlyMap<number, number> = new Map([
  [1, 6],
  [2, 4],
])

export interface Round {
  readonly victim: NodeProcess
  readonly survivor: NodeProcess
  /** Its connections bear it. */
  readonly victimName: string
  readonly name: string
  readonly ending: 'kill' | 'pause'
}

/** Jobs of the round as they stood at different times. */
interface Course {
  /** When the victim could write no more. */
  readonly atEnd: readonly JobRow[]
  /** When all was taken over. */
  readonly takenOver: readonly JobRow[]
  readonly settled: readonly JobRow[]
}

const SHORT = { holdMs: 10, heeds: true }
const UNTIL_TOLD = { holdMs: null, heeds: true }
/** A suspended node ends these the moment that it goes on, before it knows that they are no longer its own. */
const DEAF = { holdMs: 6_000, heeds: false }
/** Still runs when the suspended node goes on. */
const SLOW = { holdMs: 6_000, heeds: true }

/** Ends or suspends one of two nodes that both hold leases and run jobs, and looks what becomes of them. */
export async function playRound(scene: NodeScene, round: Round): Promise<void> {
  const { victim, survivor, name, ending } = round
  await shareLeases(round)
  const longIds = await startLongJobs(scene, round)
  for (const node of [victim, survivor]) await node.ask('stream', { group: name, steps: [SHORT] })
  await sleep(200 + Math.random() * 500)
  if (ending === 'kill') await victim.kill()
  else victim.pause()
  const endedAt = Date.now()
  const atEnd = await readWhenSilent(scene, round)
  const held = heldBy(victim, atEnd)
  expect(held.filter(({ job_id }) => longIds.has(job_id)).length).toBeGreaterThanOrEqual(LEAST_HELD_JOBS)
  await sleep(300)
  await survivor.ask('quiet')
  await survivor.ask('letGo')

  const remainingMs = TAKEN_OVER_WITHIN_MS - (Date.now() - endedAt)
  const [retaken] = await Promise.all([
    takeOverLeases(scene, round, remainingMs),
    awaitTakenOver(scene, round, { held, remainingMs }),
  ])
  expect(Date.now() - endedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS)
  const takenOver = await readJobsOf(scene, round)
  if (ending === 'pause') {
    // There is something that the one that goes on could end although the other still runs it.
    expect(takenOver.some((job) => job.status === 'running' && isSlowStep(job))).toBe(true)
    await wake(round, held)
  }
  const settled = await eventually('all jobs done', SETTLED_WITHIN_MS, async () => {
    const jobs = await readJobsOf(scene, round)
    return jobs.every(({ status }) => status === 'done') ? jobs : null
  })
  checkJobs(round, { atEnd, takenOver, settled }, await scene.readRuns())
  checkAcknowledged(round, settled, longIds)
  await survivor.ask('release', [...retaken, ...leaseIdsOf(round, 'survivor')])
  expect(await scene.countLeases()).toBe(0)
}

function leaseIdsOf({ name }: Round, who: 'victim' | 'survivor', workspaceId?: number): string[] {
  const counts = [...ROUND_LIMITS].map(([id, limit]) => {
    const ofVictim = OF_VICTIM.get(id) ?? 0
    return [id, who === 'victim' ? ofVictim : limit - ofVictim] as const
  })
  return counts
    .filter(([id]) => workspaceId === undefined || id === workspaceId)
    .flatMap(([id, count]) => Array.from({ length: count }, (_, index) => `${name} ${who} ${id} ${index}`))
}

/** Both take slots until there is none left. */
async function shareLeases(round: Round): Promise<void> {
  const { victim, survivor, name } = round
  for (const workspaceId of ROUND_LIMITS.keys()) {
    for (const who of ['victim', 'survivor'] as const) {
      const leaseIds = leaseIdsOf(round, who, workspaceId)
      const taken = await round[who].ask('take', { workspaceId, leaseIds })
      expect(taken).toEqual(leaseIds.map(() => true))
    }
    for (const node of [victim, survivor]) {
      expect(await node.ask('take', { workspaceId, leaseIds: [`${name} too many`] })).toEqual([false])
    }
  }
}

/** Jobs that still run when the victim ends; resolves when all have begun. */
async function startLongJobs(scene: NodeScene, round: Round): Promise<ReadonlySet<string>> {
  const { survivor, name: group, ending } = round
  const kinds: readonly WorkPayload[] = [
    { group, steps: [DEAF, SHORT] },
    { group, steps: [DEAF, ending === 'pause' ? SLOW : SHORT] },
    { group, steps: [UNTIL_TOLD, SHORT] },
  ]
  const payloads = Array.from({ length: LONG_JOBS }, (_, index) => kinds[index % kinds.length] as WorkPayload)
  const ids = new Set(await survivor.ask('write', payloads))
  await eventually('long jobs begun', 10_000, async () => {
    const begun = (await scene.readRuns()).filter(({ job_id }) => ids.has(job_id))
    return begun.length === ids.size ? begun : null
  })
  return ids
}

const workOf = ({ payload }: JobRow): WorkPayload => JSON.parse(payload) as WorkPayload

async function readJobsOf(scene: NodeScene, { name }: Round): Promise<JobRow[]> {
  return (await scene.readJobs()).filter((job) => workOf(job).group === name)
}

/** What the victim sent before it ended may still be carried out. */
async function readWhenSilent(scene: NodeScene, round: Round): Promise<JobRow[]> {
  if (round.ending === 'pause') await sleep(500)
  else {
    const look = async () => ((await scene.countConnections(round.victimName)) === 0 ? true : null)
    await eventually('connections of the dead closed', 5_000, look, 20)
  }
  return await readJobsOf(scene, round)
}

const heldBy = ({ workerId }: NodeProcess, jobs: readonly JobRow[]): JobRow[] =>
  jobs.filter(({ status, leased_by }) => status === 'running' && leased_by === workerId)

/** The survivor gets all slots of the victim, and nothing is left of it; returns the new leases. */
async function takeOverLeases(
  scene: NodeScene,
  { victim, survivor, name }: Round,
  remainingMs: number,
): Promise<string[]> {
  const retaken = await Promise.all(
    [...OF_VICTIM].map(async ([workspaceId, count]) => {
      const leaseIds = Array.from({ length: count }, (_, index) => `${name} retaken ${workspaceId} ${index}`)
      await eventually(`slots of workspace ${workspaceId} free`, remainingMs, async () => {
        const taken = await survivor.ask('take', { workspaceId, leaseIds })
        return taken.every(Boolean) ? taken : null
      })
      expect(await survivor.ask('take', { workspaceId, leaseIds: [`${name} too many`] })).toEqual([false])
      return leaseIds
    }),
  )
  expect(await scene.countLeases(victim.nodeId)).toBe(0)
  expect(await scene.countLive()).toEqual(ROUND_LIMITS)
  return retaken.flat()
}

interface TakingOver {
  readonly held: readonly JobRow[]
  readonly remainingMs: number
}

/** Every job that the victim ran has begun anew, and all that are short have ended. */
async function awaitTakenOver(scene: NodeScene, round: Round, { held, remainingMs }: TakingOver): Promise<void> {
  const isSlow = new Map(held.map((job) => [job.job_id, isSlowStep(job)]))
  await eventually('jobs taken over', remainingMs, async () => {
    const runs = await scene.readRuns()
    const begun = new Set(runs.map(({ job_id, attempt }) => `${job_id} ${attempt}`))
    const jobs = (await readJobsOf(scene, round)).filter(({ job_id }) => isSlow.has(job_id))
    const isOver = held.every(({ job_id, attempts }) => begun.has(`${job_id} ${attempts + 1}`))
    return isOver && jobs.every(({ job_id, status }) => isSlow.get(job_id) || status === 'done') ? jobs : null
  })
}

const isSlowStep = (job: JobRow): boolean => workOf(job).steps[1]?.holdMs === SLOW.holdMs

/** The suspended node goes on: it notices what it has lost and that it may not end what it ran. */
async function wake({ victim, ...round }: Round, held: readonly JobRow[]): Promise<void> {
  const before = victim.events.length
  victim.resume()
  const lost = leaseIdsOf({ victim, ...round }, 'victim').toSorted()
  const stepOf = (job: JobRow) => workOf(job).steps[job.attempts - 1] ?? SHORT
  const told = held.filter((job) => stepOf(job).holdMs === UNTIL_TOLD.holdMs)
  const deaf = held.filter((job) => !stepOf(job).heeds)
  await eventually('losses noticed', NOTICED_WITHIN_MS, async () => {
    const events = victim.events.slice(before)
    const logged = events.flatMap((event) => (event.event === 'logged' ? [event.text] : []))
    const aborted = new Set(events.flatMap((event) => (event.event === 'aborted' ? [event.jobId] : [])))
    const refused = deaf.filter(({ job_id }) =>
      logged.some((text) => text.startsWith(`lost the lease of job work ${job_id}`)),
    )
    const count = events.filter(({ event }) => event === 'lost').length
    return count >= lost.length && told.every(({ job_id }) => aborted.has(job_id)) && refused.length === deaf.length
      ? true
      : null
  })
  const noticed = victim.events.slice(before).flatMap((event) => (event.event === 'lost' ? [event.leaseId] : []))
  expect(noticed.toSorted()).toEqual(lost)
  await victim.ask('quiet')
}

/** What had ended stays as it is, what the victim ran is done once more by the other, the rest is done. */
function checkJobs({ victim, survivor, ending }: Round, course: Course, allRuns: readonly Run[]): void {
  const { atEnd, takenOver, settled } = course
  const final = new Map(settled.map((job) => [job.job_id, job]))
  const runs = Map.groupBy(allRuns, ({ job_id }) => job_id)
  for (const before of [...atEnd, ...takenOver]) {
    if (before.status === 'done') expect(final.get(before.job_id)).toEqual(before)
  }
  for (const before of atEnd) {
    const { job_id, attempts, status, leased_by } = before
    const own = runs.get(job_id) ?? []
    const seen = own.map(({ attempt, node_id }) => ({ attempt, node_id }))
    const after = final.get(job_id)
    if (status === 'done') expect(own).toHaveLength(1)
    if (status === 'running' && leased_by === survivor.workerId) {
      expect(after?.attempts).toBe(attempts)
      expect(seen).toEqual([{ attempt: attempts, node_id: survivor.nodeId }])
    }
    if (status === 'running' && leased_by === victim.workerId) {
      expect(after?.attempts).toBe(attempts + 1)
      const again = { attempt: attempts + 1, node_id: survivor.nodeId }
      // One that was claimed and never began has left no other trace.
      expect([[again], [{ attempt: attempts, node_id: victim.nodeId }, again]]).toContainEqual(seen)
      const begun = own.find(({ attempt }) => attempt === attempts + 1)
      const elapsedMs = (after?.ended_at ?? 0) - (begun?.began_at ?? 0)
      if (isSlowStep(before)) expect(elapsedMs).toBeGreaterThanOrEqual(SLOW.holdMs - 100)
    }
    // What a suspended node was about to claim may be done twice.
    if (status === 'pending' && ending === 'kill') expect(seen).toEqual([{ attempt: 1, node_id: survivor.nodeId }])
  }
  for (const { job_id, attempts } of settled) {
    const seen = (runs.get(job_id) ?? []).map(({ attempt }) => attempt)
    expect(new Set(seen).size).toBe(seen.length)
    expect(Math.max(...seen)).toBe(attempts)
  }
}

/** Nothing that was acknowledged is missing, and who lived on lost nothing. */
function checkAcknowledged(
  { victim, survivor, name }: Round,
  settled: readonly JobRow[],
  ids: ReadonlySet<string>,
): void {
  const stored = new Set(settled.map(({ job_id }) => job_id))
  const isOfRound = new Set(ids)
  for (const event of [...victim.events, ...survivor.events]) {
    if (event.event !== 'wrote' || event.group !== name) continue
    for (const jobId of event.jobIds) isOfRound.add(jobId)
  }
  expect([...isOfRound].filter((id) => !stored.has(id))).toEqual([])
  expect(isOfRound.size).toBeGreaterThan(ids.size)
  const losses = survivor.events.filter(
    (event) =>
      (event.event === 'lost' && event.leaseId.startsWith(name)) ||
      (event.event === 'aborted' && stored.has(event.jobId)),
  )
  expect(losses).toEqual([])
}
