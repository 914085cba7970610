import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { type PrivatePostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { eventually, hasPostgres } from '../full/cluster.ts'
import { maxConcurrent } from './lease-contention.ts'
import { type NodeProcess, startNode } from './node-process.ts'
import { openScene } from './node-scene.ts'
import { ROUND_LIMITS, runRound, TAKEOVER_TIMEOUT_MS } from './node-takeover.ts'

const WORKERS_PER_NODE = 100
const CONTENTION_MS = 4_000
const JOBS = 2_000
const JOBS_AT_ONCE = 100
/** Twenty rounds, run in parallel, because most of a round is waiting for the failure detection. */
const SHARDS = [0, 1, 2, 3, 4]
const ROUNDS = 4
/** Round of each shard in which the node is suspended beyond its lease instead of killed. */
const PAUSE_ROUND = 2

describe.skipIf(!hasPostgres)('nodes that share work', () => {
  let opening: Promise<PrivatePostgres> | undefined

  const openPostgres = (): Promise<PrivatePostgres> => {
    opening ??= startPrivatePostgres({ settings: { max_connections: '400' } })
    return opening
  }

  afterAll(async () => {
    if (opening !== undefined) await (await opening)[Symbol.asyncDispose]()
  })

  test('never exceed the leases of a workspace with 200 concurrent requests', async () => {
    const limits = new Map([
      [1, 1],
      [2, 3],
      [3, 5],
      [4, 8],
    ])
    await using scene = await openScene(await openPostgres(), limits)
    await using first = await startNode(scene.database.url, 'first')
    await using second = await startNode(scene.database.url, 'second')
    const seen = new Map<number, number>()
    let samples = 0
    let isDone = false
    const observe = async (): Promise<void> => {
      while (!isDone) {
        for (const [id, live] of await scene.countLive()) seen.set(id, Math.max(seen.get(id) ?? 0, live))
        samples += 1
        await sleep(2)
      }
    }
    const observing = observe()
    const workspaceIds = [...limits.keys()]
    const settings = { workers: WORKERS_PER_NODE, workspaceIds, durationMs: CONTENTION_MS }
    const outcomes = await Promise.all([first, second].map((node) => node.ask('runContention', settings)))
    isDone = true
    await observing

    expect(outcomes.flatMap(({ failures }) => failures)).toEqual([])
    expect(Math.max(...outcomes.map(({ longestMs }) => longestMs))).toBeLessThan(5_000)
    // Every limit was reached, so a violation would have been detected.
    expect(seen).toEqual(limits)
    expect(samples).toBeGreaterThan(100)
    const heldLeases = outcomes.flatMap((outcome) => outcome.heldLeases)
    for (const [id, limit] of limits) {
      const maxHeld = maxConcurrent(heldLeases.filter(({ workspaceId }) => workspaceId === id))
      expect(maxHeld, `workspace ${id}`).toBeLessThanOrEqual(limit)
    }
    for (const { heldLeases: own, refused } of outcomes) {
      expect(own.length).toBeGreaterThan(WORKERS_PER_NODE)
      expect(refused).toBeGreaterThan(WORKERS_PER_NODE)
    }
    expect(await scene.countLeases()).toBe(0)
    for (const [workspaceId, limit] of limits) {
      const leaseIds = Array.from({ length: limit + 1 }, (_, index) => `last ${workspaceId} ${index}`)
      const acquired = await second.ask('take', { workspaceId, leaseIds })
      expect(acquired.filter(Boolean)).toHaveLength(limit)
    }
    await second.ask('stop')
    expect(await scene.countLeases()).toBe(0)
    expect(loggedBy(first, second)).toEqual([])
  })

  test('run 2,000 jobs exactly once', async () => {
    await using scene = await openScene(await openPostgres(), new Map())
    await using first = await startNode(scene.database.url, 'first')
    await using second = await startNode(scene.database.url, 'second')
    const payload = { group: 'many', steps: [{ holdMs: 0, stopsOnAbort: true }] }
    const batches = Array.from({ length: JOBS / JOBS_AT_ONCE }, (_, index) =>
      (index % 2 === 0 ? first : second).ask('write', Array(JOBS_AT_ONCE).fill(payload)),
    )
    const written = (await Promise.all(batches)).flat()
    const jobs = await eventually('all jobs done', 60_000, async () => {
      const rows = await scene.readJobs()
      return rows.every(({ status }) => status === 'done') ? rows : null
    })
    const runs = await scene.readRuns()
    expect(jobs.map(({ job_id }) => job_id).toSorted()).toEqual(written.toSorted())
    expect(runs.map(({ job_id }) => job_id).toSorted()).toEqual(written.toSorted())
    expect(jobs.filter(({ attempts }) => attempts !== 1)).toEqual([])
    expect(new Set(runs.map(({ node_id }) => node_id))).toEqual(new Set([first.nodeId, second.nodeId]))
    expect(loggedBy(first, second)).toEqual([])
  })

  test.concurrent('write one job for each tick of a schedule, also when one of them falls behind', async () => {
    await using scene = await openScene(await openPostgres(), new Map())
    const env = { TICKS: '1' }
    const nodes = [startNode(scene.database.url, 'first', env), startNode(scene.database.url, 'second', env)]
    const [first, second] = (await Promise.all(nodes)) as [NodeProcess, NodeProcess]
    await using _first = first
    await using _second = second
    await sleep(3_000)
    second.pause()
    await sleep(3_000)
    second.resume()
    await sleep(3_000)
    // Jobs that are due later already exist.
    const now = await scene.database.now()
    const ticks = await eventually('all ticks done', 15_000, async () => {
      const rows = (await scene.readJobs()).filter(({ run_at }) => run_at <= now)
      return rows.every(({ status }) => status === 'done') ? rows : null
    })
    const from = ticks[0]?.run_at ?? 0
    expect(ticks.length).toBeGreaterThanOrEqual(8)
    expect(from % 1_000).toBe(0)
    expect(ticks.map(({ run_at }) => run_at)).toEqual(ticks.map((_, index) => from + index * 1_000))
    expect(ticks.at(-1)?.run_at).toBeGreaterThan(now - 1_000)
    const ticked = new Set(ticks.map(({ job_id }) => job_id))
    const runs = (await scene.readRuns()).filter(({ job_id }) => ticked.has(job_id))
    expect(runs.map(({ job_id }) => job_id).toSorted()).toEqual([...ticked].toSorted())
  })

  test.concurrent('are kept from no workspace for longer by one that fell silent within a unit of work', async () => {
    await using scene = await openScene(await openPostgres(), ROUND_LIMITS)
    await using silent = await startNode(scene.database.url, 'silent')
    await using other = await startNode(scene.database.url, 'other')
    await silent.ask('lock', 1)
    silent.pause()
    const silentAt = Date.now()
    const wanted = { workspaceId: 1, leaseIds: ['lease'] }
    const take = (): Promise<boolean[] | null> => other.ask('take', wanted).catch(() => null)
    expect(await eventually('a slot', 2 * TAKEOVER_TIMEOUT_MS, take)).toEqual([true])
    expect(Date.now() - silentAt).toBeLessThan(TAKEOVER_TIMEOUT_MS)
  })

  test.concurrent.for(SHARDS)(
    'take over from one that is killed or suspended what it held, once (%i)',
    { timeout: 200_000 },
    async (shard) => {
      await using scene = await openScene(await openPostgres(), ROUND_LIMITS)
      await using stack = new AsyncDisposableStack()
      const start = async (name: string): Promise<NodeProcess> =>
        stack.use(await startNode(scene.database.url, name, { DATABASE_CONNECTIONS: '10' }))
      let names = ['first', 'second'] as [string, string]
      let nodes = (await Promise.all(names.map(start))) as [NodeProcess, NodeProcess]
      for (let round = 0; round < ROUNDS; round += 1) {
        const [target, takeoverNode] = nodes
        const ending = round === PAUSE_ROUND ? 'pause' : 'kill'
        await runRound(scene, { target, takeoverNode, targetName: names[0], name: `round ${shard}.${round}`, ending })
        // The survivor is killed next.
        names = [names[1], ending === 'kill' ? `node ${shard}.${round}` : names[0]]
        nodes = [takeoverNode, ending === 'kill' ? await start(names[1]) : target]
      }
    },
  )
})

const loggedBy = (...nodes: readonly NodeProcess[]) =>
  nodes.flatMap(({ events }) => events.filter(({ event }) => event === 'logged'))
