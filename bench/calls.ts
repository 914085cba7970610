import { mkdtempSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type CallTestServer, startCallTestServer } from './harness/call-test-server.ts'
import { type CallerStats, Callers } from './harness/callers.ts'
import { startLocalServer } from './harness/local-server.ts'
import { readOptions } from './harness/options.ts'
import { readCpuMs } from './harness/process-usage.ts'
import { printProfiles, readProfileClockUs } from './harness/profile-summary.ts'
import { printResult, printTable } from './harness/report.ts'
import { roundStat } from './harness/statistics.ts'

/**
 * Measures the cost of a call. Browser callers in this process talk to agents on the real server, with a transcriber and a
 * synthesizer that cost nothing. The server stores recordings and call records. As a baseline, a bare server echoes each frame.
 * `--calls=20,200` sets the numbers of concurrent calls.
 */
const { smoke, profile } = readOptions()
const { values } = parseArgs({ options: { calls: { type: 'string' } }, strict: false })
const STEPS = smoke
  ? [4]
  : String(values.calls ?? '50,100,200,300')
      .split(',')
      .map(Number)
const STABILIZE_MS = smoke ? 500 : 8_000
const MEASURE_MS = smoke ? 1_000 : 20_000
const WARM_UP_CALLS = smoke ? 2 : 40
const JOIN_BATCH_SIZE = 8
const RATE_HZ = 8_000

interface StepStats {
  readonly calls: number
  /** Share of one core, over all threads of the server. */
  readonly cpuShare: number
  readonly callers: CallerStats
}

interface ServerStep extends StepStats {
  /** Pacer ticks that were more than 20 ms late, multiplied by the number of waiting calls. */
  readonly pacerLateFrames: number
  readonly eventLoopP99Ms: number
  readonly loopMaxMs: number
  readonly rssMbPerCall: number
  /** Heap and buffers after garbage collection. */
  readonly usedMbPerCall: number
}

async function joinCalls(callers: Callers, count: number, testServer: CallTestServer | null): Promise<void> {
  while (callers.count < count) {
    const batch = Math.min(JOIN_BATCH_SIZE, count - callers.count)
    await Promise.all(
      Array.from({ length: batch }, async () =>
        callers.open(testServer === null ? null : await testServer.createCall()),
      ),
    )
  }
}

async function measure(callers: Callers, pid: number): Promise<StepStats> {
  callers.collectStats()
  const startedAt = performance.now()
  const cpuMs = readCpuMs(pid)
  await delay(MEASURE_MS)
  const cpuShare = (readCpuMs(pid) - cpuMs) / (performance.now() - startedAt)
  return { calls: callers.count, cpuShare, callers: callers.collectStats() }
}

async function measureServer(testServer: CallTestServer): Promise<ServerStep[]> {
  const callers = new Callers({ url: testServer.parley.url, rateHz: RATE_HZ })
  await joinCalls(callers, WARM_UP_CALLS, testServer)
  await delay(STABILIZE_MS)
  await callers.close()
  const idle = await measureIdleMemory(testServer)
  const steps: ServerStep[] = []
  for (const calls of STEPS) {
    await joinCalls(callers, calls, testServer)
    await delay(STABILIZE_MS)
    const before = await testServer.readStats()
    const stats = await measure(callers, testServer.parley.pid)
    const after = await testServer.readStats()
    const memory = await measureIdleMemory(testServer)
    steps.push({
      ...stats,
      pacerLateFrames: after.pacer.lateFrames - before.pacer.lateFrames,
      eventLoopP99Ms: after.eventLoopP99Ms,
      loopMaxMs: after.loopMaxMs,
      rssMbPerCall: (memory.rssMb - idle.rssMb) / calls,
      usedMbPerCall: (memory.usedMb - idle.usedMb) / calls,
    })
  }
  await callers.close()
  callers.stop()
  return steps
}

async function measureIdleMemory(
  testServer: CallTestServer,
): Promise<{ readonly rssMb: number; readonly usedMb: number }> {
  await testServer.readStats('collect')
  const { rssMb, heapMb, buffersMb } = await testServer.readStats('collect')
  return { rssMb, usedMb: heapMb + buffersMb }
}

async function measureBaseline(): Promise<StepStats[]> {
  await using server = await startLocalServer('bench/harness/echo-call-server.ts')
  const callers = new Callers({ url: server.url, rateHz: RATE_HZ })
  const steps: StepStats[] = []
  for (const calls of STEPS) {
    await joinCalls(callers, calls, null)
    await delay(STABILIZE_MS / 3)
    steps.push(await measure(callers, server.pid))
  }
  await callers.close()
  callers.stop()
  return steps
}

const toPercent = (share: number): number => roundStat(share * 100)

function toRow(name: string, { calls, cpuShare, callers: { arrival, outgoing: own } }: StepStats) {
  const cpu = [toPercent(cpuShare), roundStat((cpuShare * 1_000) / calls)]
  return [
    name,
    calls,
    ...cpu,
    arrival.p50Ms,
    arrival.p99Ms,
    roundStat(arrival.maxMs),
    arrival.lateFrames,
    arrival.lateForPlayoutFrames,
    own.lateFrames,
  ]
}

const loadBefore = loadavg().map(roundStat)
const profileFolder = profile ? mkdtempSync(joinPath(tmpdir(), 'parley-profile-')) : undefined
const fromUs = readProfileClockUs()
const baseline = await measureBaseline()
const testServer = await startCallTestServer({ profileFolder })
const server = await measureServer(testServer).finally(() => testServer[Symbol.asyncDispose]())

printTable(
  [
    '',
    'calls',
    'CPU %',
    'CPU ms/s per call',
    'late p50 ms',
    'p99',
    'worst',
    'frames > 20 ms late',
    'after playback time',
    'caller frames > 20 ms late',
  ],
  [...server.map((step) => toRow('Parley', step)), ...baseline.map((step) => toRow('bare echo', step))],
)
console.log()
printTable(
  [
    'calls',
    'pacer late frames',
    'loop p99 ms',
    'loop worst ms',
    'rss MB per call',
    'used MB per call',
    'answers',
    'unanswered',
    'lost',
  ],
  server.map(({ calls, callers, ...step }) => [
    calls,
    step.pacerLateFrames,
    roundStat(step.eventLoopP99Ms),
    roundStat(step.loopMaxMs),
    roundStat(step.rssMbPerCall),
    roundStat(step.usedMbPerCall),
    callers.answers,
    callers.unanswered,
    callers.lost,
  ]),
)
printResult('calls', smoke, { loadBefore, loadAfter: loadavg().map(roundStat), server, baseline })
if (profileFolder !== undefined) printProfiles(profileFolder, { fromUs, untilUs: readProfileClockUs() })
