import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { CallServerStats } from './harness/call-server.ts'
import { type CallTestServer, startCallTestServer } from './harness/call-test-server.ts'
import { Callers } from './harness/callers.ts'
import { readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculateMedian, roundStat } from './harness/statistics.ts'

/**
 * Checks that calls do not leak resources: about `--calls` concurrent calls start and end for `--minutes` (default: 1). Memory
 * is measured after garbage collection, and the last table lists resources that are still open.
 */
const { smoke } = readOptions()
const { values } = parseArgs({ options: { minutes: { type: 'string' }, calls: { type: 'string' } }, strict: false })
const DURATION_MS = smoke ? 1_500 : Number(values.minutes ?? 1) * 60_000
const CALLS = smoke ? 2 : Number(values.calls ?? 20)
const WARM_UP_MS = smoke ? 500 : Math.min(60_000, DURATION_MS / 3)
/** Approximate length of a call. */
const CALL_MS = smoke ? 500 : 20_000
const SAMPLE_MS = smoke ? 500 : 10_000
/** Time for closing messages, pending events and idle connections after the last call. */
const DRAIN_MS = smoke ? 3_000 : 20_000

interface Sample {
  readonly atS: number
  readonly calls: number
  readonly rssMb: number
  readonly heapMb: number
  readonly buffersMb: number
}

const loadBefore = loadavg().map(roundStat)
await using testServer = await startCallTestServer()
const callers = new Callers({ url: testServer.parley.url, rateHz: 8_000 })
const samples: Sample[] = []
let joinedCalls = 0

async function replaceOldestCall(): Promise<void> {
  await callers.open(await testServer.createCall())
  joinedCalls += 1
  if (callers.count > CALLS) await callers.close(1)
}

async function takeSample(startedAt: number): Promise<void> {
  const { rssMb, heapMb, buffersMb } = await testServer.readStats('collect')
  const atS = Math.round((performance.now() - startedAt) / 1_000)
  samples.push({
    atS,
    calls: callers.count,
    rssMb: roundStat(rssMb),
    heapMb: roundStat(heapMb),
    buffersMb: roundStat(buffersMb),
  })
}

// The first call loads modules that stay in memory.
await replaceOldestCall()
await callers.close()
const idle = await drainCalls(testServer)
const startedAt = performance.now()
let sampledAt = startedAt
while (performance.now() - startedAt < WARM_UP_MS + DURATION_MS) {
  await replaceOldestCall()
  if (performance.now() - startedAt > WARM_UP_MS && performance.now() - sampledAt >= SAMPLE_MS) {
    sampledAt = performance.now()
    await takeSample(startedAt)
  }
  await delay(CALL_MS / CALLS)
}
const { answers, unanswered } = callers.collectStats()
await callers.close()
callers.stop()
await drainCalls(testServer)
const end = await testServer.readStats(smoke ? 'collect' : 'objects')
const live = await testServer.countLiveCalls()

printTable(['second', 'calls', 'rss MB', 'heap MB', 'buffers MB'], samples.map(Object.values))
const leftovers = [
  ['paced calls', idle.activeCalls, end.activeCalls],
  ['legs', 0, end.objects?.legs ?? 0],
  ['connections of calls', 0, end.objects?.connections ?? 0],
  ['sessions', 0, end.objects?.sessions ?? 0],
  ['used slots', 0, live],
  ...[...new Set([...Object.keys(idle.resources), ...Object.keys(end.resources)])]
    .toSorted()
    .map((kind) => [kind, idle.resources[kind] ?? 0, end.resources[kind] ?? 0] as const),
  ['heap MB', roundStat(idle.heapMb), roundStat(end.heapMb)],
  ['buffers MB', roundStat(idle.buffersMb), roundStat(end.buffersMb)],
  ['rss MB', roundStat(idle.rssMb), roundStat(end.rssMb)],
] as const
console.log()
printTable(['', 'before', 'after'], leftovers)
const growth = { rss: calculateGrowth('rssMb'), heap: calculateGrowth('heapMb'), buffers: calculateGrowth('buffersMb') }
console.log(
  `\n${joinedCalls} calls, ${answers} answers. Second half compared with the first: ${JSON.stringify(growth)}`,
)
printResult('call-soak', smoke, {
  loadBefore,
  loadAfter: loadavg().map(roundStat),
  minutes: DURATION_MS / 60_000,
  joined: joinedCalls,
  answers,
  unanswered,
  growth,
  samples,
  leftovers: Object.fromEntries(leftovers.map(([name, before, after]) => [name, { before, after }])),
})

/** Waits until the pacer has no calls left, and then for an idle period. */
async function drainCalls({ readStats: stats }: CallTestServer): Promise<CallServerStats> {
  const deadline = performance.now() + DRAIN_MS
  while ((await stats()).activeCalls > 0 && performance.now() < deadline) await delay(100)
  await delay(smoke ? 500 : DRAIN_MS)
  await stats('collect')
  return await stats('collect')
}

/** Returns the median of the second half divided by the median of the first half. */
function calculateGrowth(name: 'rssMb' | 'heapMb' | 'buffersMb'): number {
  const measurements = samples.map((sample) => sample[name])
  const half = measurements.length >> 1
  return roundStat(calculateMedian(measurements.slice(half)) / calculateMedian(measurements.slice(0, half)))
}
