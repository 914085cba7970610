import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort, ROOT, startProcess, waitUntilReady } from './harness/child-process.ts'
import { readOptions } from './harness/options.ts'
import { parleySettings, SERVER_FILE } from './harness/parley-server.ts'
import { readCpuMs, readResidentMb } from './harness/process-usage.ts'
import { printResult, printTable } from './harness/report.ts'
import { median, percentile, round } from './harness/statistics.ts'

/**
 * From the start of the process to the first 200 of `/readyz`, and its memory when nothing happens. Warm: dependencies are
 * installed, the database exists and Node's compile cache is filled. `--clean` also installs a fresh clone, over the network.
 */
const { smoke, clean } = readOptions()
const starts = smoke ? 1 : 10
const IDLE_AFTER_MS = smoke ? 500 : 3_000
const CLEAN_TIMEOUT_MS = 300_000

interface StartFigures {
  readonly readyMs: number
  readonly idleMb: number
  readonly idleCpuShare: number
}

interface StartOptions {
  readonly root: string
  readonly dataFolder: string
  readonly timeoutMs?: number
  readonly idleAfterMs: number
}

async function measureStart(file: string, options: StartOptions): Promise<StartFigures> {
  const port = await findFreePort()
  const startedAt = performance.now()
  await using running = startProcess(file, {
    workFolder: options.root,
    environment: parleySettings(port, options.dataFolder),
  })
  await waitUntilReady(`http://127.0.0.1:${port}/readyz`, running, options.timeoutMs)
  const readyMs = performance.now() - startedAt
  const cpuBefore = readCpuMs(running.pid)
  await delay(options.idleAfterMs)
  const idleCpuShare = options.idleAfterMs === 0 ? 0 : (readCpuMs(running.pid) - cpuBefore) / options.idleAfterMs
  return { readyMs, idleMb: readResidentMb(running.pid), idleCpuShare }
}

const dataFolder = mkdtempSync(join(tmpdir(), 'parley-start-'))
const commands = { 'npm start': join(ROOT, 'scripts/start.cjs'), 'main.ts': SERVER_FILE }
const first: Record<string, number> = {}
const warm: Record<string, number[]> = { 'npm start': [], 'main.ts': [] }
const idleMb: number[] = []
const idleCpu: number[] = []
try {
  const { readyMs } = await measureStart(SERVER_FILE, { root: ROOT, dataFolder, idleAfterMs: 0 })
  first['main.ts'] = readyMs
  for (let count = 0; count < starts; count += 1) {
    for (const [name, file] of Object.entries(commands)) {
      // Memory is measured in three of the starts: it hardly varies and each look takes seconds.
      const idleAfterMs = name === 'npm start' && count < 3 ? IDLE_AFTER_MS : 0
      const figures = await measureStart(file, { root: ROOT, dataFolder, idleAfterMs })
      warm[name]?.push(figures.readyMs)
      if (idleAfterMs > 0) {
        idleMb.push(figures.idleMb)
        idleCpu.push(figures.idleCpuShare)
      }
    }
  }
} finally {
  rmSync(dataFolder, { recursive: true, force: true })
}

/** A fresh clone in a folder of its own, started as a newcomer would. */
async function measureCleanClone(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-clone-'))
  try {
    const startedAt = performance.now()
    execFileSync('git', ['clone', '--quiet', ROOT, join(folder, 'parley')])
    const root = join(folder, 'parley')
    const options = { root, dataFolder: join(folder, 'data'), timeoutMs: CLEAN_TIMEOUT_MS, idleAfterMs: 0 }
    await measureStart(join(root, 'scripts/start.cjs'), options)
    return performance.now() - startedAt
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const cleanMs = clean ? await measureCleanClone() : null
const rows = Object.entries(warm).map(([name, times]) => [
  name,
  Math.round(median(times)),
  Math.round(Math.min(...times)),
  Math.round(percentile(times, 0.95)),
])
printTable(['start to /readyz, ms', 'median', 'least', 'p95'], rows)
console.log(`first start with an empty data folder: ${Math.round(first['main.ts'] ?? Number.NaN)} ms`)
console.log(`idle: ${median(idleMb).toFixed(0)} MB resident, ${(100 * median(idleCpu)).toFixed(1)} % of a core`)
if (cleanMs !== null) console.log(`clean clone to ready: ${(cleanMs / 1000).toFixed(1)} s`)
printResult('start', smoke, {
  warmMs: Object.fromEntries(Object.entries(warm).map(([name, times]) => [name, round(median(times))])),
  firstMs: round(first['main.ts'] ?? Number.NaN),
  idleMb: round(median(idleMb)),
  cleanMs,
})
