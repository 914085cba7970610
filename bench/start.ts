import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { joinCall } from '../testing/call-client.ts'
import { findFreePort, ROOT, startProcess, waitUntilReady } from './harness/child-process.ts'
import { readOptions } from './harness/options.ts'
import { buildParleySettings, createAgents, SERVER_FILE, startParley } from './harness/parley-server.ts'
import { readCpuMs, readFamilyResidentMb } from './harness/process-usage.ts'
import { printResult, printTable } from './harness/report.ts'
import { calculateMedian, calculatePercentile, roundStat } from './harness/statistics.ts'

/**
 * Measures the time from process start to the first 200 response from `/readyz`, and the memory when idle, after a chat and
 * after a call. A warm start has installed dependencies, current builds, a database and a filled compile cache. `--clean` also
 * installs a fresh clone over the network.
 */
const { smoke, clean } = readOptions()
const startCount = smoke ? 1 : 10
const useCount = smoke ? 1 : 5
/** Time after which an idle server has released its startup memory. */
const IDLE_MS = smoke ? 500 : 4_000
const CALL_MS = smoke ? 1_000 : 5_000
const CLEAN_TIMEOUT_MS = 300_000
const START_FILE = join(ROOT, 'scripts/start.cjs')

interface StartOptions {
  readonly root: string
  readonly dataFolder: string
  readonly timeoutMs?: number
}

/** Starts the server and returns the milliseconds until it is ready. */
async function measureStart(file: string, { root, dataFolder, timeoutMs }: StartOptions): Promise<number> {
  const port = await findFreePort()
  const startedAt = performance.now()
  const environment = buildParleySettings(port, dataFolder)
  await using child = startProcess(file, { workingDirectory: root, environment })
  await waitUntilReady(`http://127.0.0.1:${port}/readyz`, child, timeoutMs)
  return performance.now() - startedAt
}

/** Measures the memory in megabytes and the response times in milliseconds of a new server. */
async function measureUsage() {
  await using parley = await startParley({ program: { file: START_FILE } })
  await delay(1_000)
  const cpuBefore = readCpuMs(parley.pid)
  await delay(IDLE_MS)
  const idleCpuShare = (readCpuMs(parley.pid) - cpuBefore) / IDLE_MS
  const idleMb = readFamilyResidentMb(parley.pid)
  const createEngine = async (_parley: typeof parley, workspaceId: number): Promise<object> => {
    const prompt = { display_name: 'Front desk', model: 'offline', general_prompt: 'We open at nine. Answer briefly.' }
    const { llm_id } = (await parley.call('POST', '/api/v1/llms', { workspaceId, ...prompt })) as { llm_id: string }
    return { type: 'llm', llm_id }
  }
  const [agent] = await createAgents(parley, 1, createEngine)
  if (agent === undefined) throw new Error('No agent was created.')
  const chatMs: number[] = []
  for (let chat = 0; chat < 2; chat += 1) {
    const startedAt = performance.now()
    const { chatId } = (await parley.call('POST', '/api/chats', agent)) as { chatId: string }
    const completion = { workspaceId: agent.workspaceId, content: 'When do you open?' }
    await parley.call('POST', `/api/chats/${chatId}/completions`, completion)
    chatMs.push(performance.now() - startedAt)
  }
  const [firstChatMs = Number.NaN, secondChatMs = Number.NaN] = chatMs
  await delay(IDLE_MS)
  const chatMb = readFamilyResidentMb(parley.pid)
  await runCall(parley, agent)
  await delay(IDLE_MS)
  return { idleMb, idleCpuShare, firstChatMs, secondChatMs, chatMb, callMb: readFamilyResidentMb(parley.pid) }
}

/** Runs a call in which the caller hears the greeting and the answer to one question, and then hangs up. */
async function runCall(
  parley: { readonly url: string; call(method: 'POST', path: string, body: object): Promise<unknown> },
  { agentId }: { readonly agentId: string },
): Promise<void> {
  const createdCall = (await parley.call('POST', '/api/v1/calls/web', { agentId })) as CreatedCall
  await using client = await joinCall(parley.url, createdCall.call.accessToken)
  client.sendTranscript('When do you open?', 'utterance-1')
  await delay(CALL_MS)
}

interface CreatedCall {
  readonly call: { readonly accessToken: string }
}

const dataFolder = mkdtempSync(join(tmpdir(), 'parley-start-'))
const commands = { 'npm start': START_FILE, server: SERVER_FILE }
const warmTimes: Record<keyof typeof commands, number[]> = { 'npm start': [], server: [] }
let firstMs = Number.NaN
const usageRuns: Awaited<ReturnType<typeof measureUsage>>[] = []
try {
  // Creates the builds in advance, since no measurement includes them.
  await measureStart(START_FILE, { root: ROOT, dataFolder, timeoutMs: CLEAN_TIMEOUT_MS })
  rmSync(dataFolder, { recursive: true })
  firstMs = await measureStart(START_FILE, { root: ROOT, dataFolder })
  for (let count = 0; count <= startCount; count += 1) {
    for (const name of Object.keys(commands) as (keyof typeof commands)[]) {
      const readyMs = await measureStart(commands[name], { root: ROOT, dataFolder })
      // The first start of each command fills the compile cache.
      if (count > 0) warmTimes[name].push(readyMs)
    }
  }
  for (let count = 0; count < useCount; count += 1) usageRuns.push(await measureUsage())
} finally {
  rmSync(dataFolder, { recursive: true, force: true })
}

/** Starts a fresh clone in a new folder, as a new user would. */
async function measureCleanClone(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-clone-'))
  try {
    const startedAt = performance.now()
    execFileSync('git', ['clone', '--quiet', ROOT, join(folder, 'parley')])
    const root = join(folder, 'parley')
    const options = { root, dataFolder: join(folder, 'data'), timeoutMs: CLEAN_TIMEOUT_MS }
    await measureStart(join(root, 'scripts/start.cjs'), options)
    return performance.now() - startedAt
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const cleanMs = clean ? await measureCleanClone() : null
const rows = Object.entries(warmTimes).map(([name, times]) => [
  name,
  Math.round(calculateMedian(times)),
  Math.round(Math.min(...times)),
  Math.round(calculatePercentile(times, 0.95)),
])
printTable(['start to /readyz, ms', 'median', 'min', 'p95'], rows)
console.log(`first start with an empty data folder: ${Math.round(firstMs)} ms`)
const listValues = (name: keyof (typeof usageRuns)[number]): number[] => usageRuns.map((run) => run[name])
const toRow = (label: string, values: readonly number[]) => [
  label,
  Math.round(calculateMedian(values)),
  Math.round(Math.min(...values)),
  Math.round(Math.max(...values)),
]
printTable(
  ['process and children', 'median', 'min', 'max'],
  [
    toRow('resident when idle, MB', listValues('idleMb')),
    toRow('resident after a chat, MB', listValues('chatMb')),
    toRow('resident after a call, MB', listValues('callMb')),
    toRow('first chat with answer, ms', listValues('firstChatMs')),
    toRow('second chat with answer, ms', listValues('secondChatMs')),
  ],
)
console.log(`idle: ${(100 * calculateMedian(listValues('idleCpuShare'))).toFixed(1)} % of a core`)
if (cleanMs !== null) console.log(`clean clone to ready: ${(cleanMs / 1000).toFixed(1)} s`)
printResult('start', smoke, {
  warmMs: Object.fromEntries(
    Object.entries(warmTimes).map(([name, times]) => [name, roundStat(calculateMedian(times))]),
  ),
  firstMs: roundStat(firstMs),
  idleMb: roundStat(calculateMedian(listValues('idleMb'))),
  chatMb: roundStat(calculateMedian(listValues('chatMb'))),
  callMb: roundStat(calculateMedian(listValues('callMb'))),
  firstChatMs: roundStat(calculateMedian(listValues('firstChatMs'))),
  secondChatMs: roundStat(calculateMedian(listValues('secondChatMs'))),
  cleanMs,
})
