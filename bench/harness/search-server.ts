import { enableCompileCache, flushCompileCache } from 'node:module'

// As the server does it: before anything else is imported.
enableCompileCache()

const { openDatabase } = await import('../../packages/server/src/platform/database/sqlite-database.ts')
const { openPostgresDatabase } = await import('../../packages/server/src/platform/database/open-postgres.ts')
const { systemClock } = await import('../../packages/server/src/platform/system.ts')
const { readResidentMb } = await import('./process-usage.ts')
const { createSearchNode } = await import('./search-node.ts')

/**
 * A process that opens a database, puts questions to one knowledge base and tells in one line how long each took. With
 * `emptyBaseId` it asks that one first, so that the thread runs, and measures what memory the other adds.
 */
const [given = '{}'] = process.argv.slice(2)
const { databaseLocation, knowledgeBaseId, emptyBaseId, withVectors, questions, topK } = JSON.parse(given) as SearchTask

/** What it is asked for. */
export interface SearchTask {
  /** File of an SQLite database, or address of a PostgreSQL one. */
  readonly databaseLocation: string
  readonly knowledgeBaseId: string
  readonly emptyBaseId: string | null
  readonly withVectors: boolean
  readonly questions: readonly string[]
  readonly topK: number
}

/** What it tells. */
export interface SearchTimes {
  /** From opening the database, that included, to the first answer. */
  readonly firstMs: number
  /** CPU time of all threads during the search. */
  readonly firstCpuMs: number
  readonly times: readonly number[]
  /** Between asking the thread of the index and its answer. */
  readonly threadTimes: readonly number[]
  /** CPU time of all threads until each of them was answered. */
  readonly cpuTimes: readonly number[]
  readonly sizeBytes: number
  readonly memoryIncreaseMb: number
}

const startedAt = performance.now()
const startedCpuMs = cpuMs()
let endedAt: number | null = null
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
  const askedAt = performance.now()
  await node.search(knowledgeBaseId, question, topK)
  times.push(performance.now() - askedAt)
  threadTimes.push(node.threadMs)
  cpuTimes.push(cpuMs())
  endedAt ??= performance.now()
}
globalThis.gc?.()
const result: SearchTimes = {
  firstMs: (endedAt ?? Number.NaN) - startedAt,
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

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
