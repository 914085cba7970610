import { enableCompileCache, flushCompileCache } from 'node:module'

// The server also enables the cache before any other import.
enableCompileCache()

const { openDatabase } = await import('../../packages/server/src/platform/database/sqlite-database.ts')
const { openPostgresDatabase } = await import('../../packages/server/src/platform/database/open-postgres.ts')
const { systemClock } = await import('../../packages/server/src/platform/system.ts')
const { readResidentMb } = await import('./process-usage.ts')
const { createSearchNode } = await import('./search-node.ts')

/**
 * A process that opens a database, queries one knowledge base and prints all latencies in one line. With `emptyBaseId`, it
 * queries that knowledge base first to start the search thread, and then measures the additional memory.
 */
const [taskJson = '{}'] = process.argv.slice(2)
const { databaseLocation, knowledgeBaseId, emptyBaseId, withVectors, questions, topK } = JSON.parse(
  taskJson,
) as SearchTask

/** Input of the process. */
export interface SearchTask {
  /** Path of a SQLite database or URL of a PostgreSQL database. */
  readonly databaseLocation: string
  readonly knowledgeBaseId: string
  readonly emptyBaseId: string | null
  readonly withVectors: boolean
  readonly questions: readonly string[]
  readonly topK: number
}

/** Output of the process. */
export interface SearchTimes {
  /** Time from before opening the database to the first response. */
  readonly firstMs: number
  /** CPU time of all threads during the first search. */
  readonly firstCpuMs: number
  readonly times: readonly number[]
  /** Times between the requests to the search thread and its responses. */
  readonly threadTimes: readonly number[]
  /** CPU time of all threads for each search. */
  readonly cpuTimes: readonly number[]
  readonly sizeBytes: number
  readonly memoryIncreaseMb: number
}

const startedAt = performance.now()
const startedCpuMs = readCpuMs()
let firstEndedAt: number | null = null
const clock = systemClock
const database = databaseLocation.startsWith('postgres:')
  ? await openPostgresDatabase({ url: databaseLocation, clock })
  : await openDatabase({ file: databaseLocation, clock })
const node = createSearchNode({ database, clock, withVectors })
if (emptyBaseId !== null) await node.search(emptyBaseId, 'nothing', topK)
globalThis.gc?.()
const beforeMb = readResidentMb(process.pid)
const times: number[] = []
const threadTimes: number[] = []
const cpuTimes: number[] = []
for (const question of questions) {
  const searchStartedAt = performance.now()
  await node.search(knowledgeBaseId, question, topK)
  times.push(performance.now() - searchStartedAt)
  threadTimes.push(node.threadMs)
  cpuTimes.push(readCpuMs())
  firstEndedAt ??= performance.now()
}
globalThis.gc?.()
const result: SearchTimes = {
  firstMs: (firstEndedAt ?? Number.NaN) - startedAt,
  firstCpuMs: (cpuTimes[0] ?? Number.NaN) - startedCpuMs,
  times,
  threadTimes,
  cpuTimes,
  sizeBytes: node.sizeBytes,
  memoryIncreaseMb: readResidentMb(process.pid) - beforeMb,
}
await node.close()
await database.close()
// The parent process kills this process as soon as it has read the line.
flushCompileCache()
console.log(JSON.stringify(result))

function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
