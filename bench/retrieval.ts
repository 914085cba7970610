import { loadavg } from 'node:os'
import { buildSegment } from '../packages/retrieval/src/lexical/build-segment.ts'
import { createRandom } from './harness/call-history.ts'
import { startProcess } from './harness/child-process.ts'
import { fillKnowledge } from './harness/fill-knowledge.ts'
import { chooseDatabases } from './harness/history-databases.ts'
import { type BenchSource, createDocument, createQuestions, createSources } from './harness/knowledge-corpus.ts'
import { type DatabaseName, readOptions } from './harness/options.ts'
import { printResult, printTable, type Row } from './harness/report.ts'
import { withSearchDatabase } from './harness/search-databases.ts'
import { measureRecall, type Recall } from './harness/search-recall.ts'
import type { SearchTask, SearchTimes } from './harness/search-server.ts'
import { calculateMedian, calculatePercentile, roundStat } from './harness/statistics.ts'

/**
 * Measures searches in growing knowledge bases, by keywords and with vectors of 384 dimensions: the first search of a new
 * process, later searches, the memory of the index, the time to index a document, and the recall compared with a full scan.
 * Runs on SQLite and PostgreSQL (`--database` selects one).
 */
const { smoke, database: onlyDatabase } = readOptions()
/** Passage counts of successive documents, 50 on average. */
const SIZES = [5, 12, 30, 60, 143]
const BASES = smoke
  ? [
      { name: '300', chunks: 300, sizes: SIZES, starts: 0 },
      { name: '1,000', chunks: 1_000, sizes: SIZES, starts: 0 },
    ]
  : [
      { name: '1,000', chunks: 1_000, sizes: SIZES, starts: 7 },
      { name: '10,000', chunks: 10_000, sizes: SIZES, starts: 7 },
      { name: '10,000 of 1,000 sources', chunks: 10_000, sizes: [10], starts: 7 },
      { name: '100,000', chunks: 100_000, sizes: SIZES, starts: 3 },
    ]
const QUESTIONS = smoke ? 20 : 200
const WARM_UPS = smoke ? 2 : 20
const RECALL_QUESTIONS = smoke ? 1 : 30
const DOCUMENTS = smoke ? [10, 100] : [10, 100, 1_000]
const BUILD_RUNS = smoke ? 1 : 5
/** An agent's default number of passages. */
const TOP_K = 3
const EMPTY_BASE = 'empty'
const PROGRAM = 'bench/harness/search-server.ts'

/** Knowledge bases that are created once for all databases. */
const PREPARED_BASES = BASES.map(({ name, chunks, sizes, starts }, number) => {
  const id = `base_${number}`
  return { name, id, starts, sources: createSources(id, chunks, sizes) }
})

interface SearchStats {
  readonly firstMs: number
  readonly maxFirstMs: number
  /** CPU time of all process threads until the first response. */
  readonly firstCpuMs: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** Time between the request to the index thread and its response (p95). */
  readonly threadP95Ms: number
  /** Mean CPU time of all threads per search. */
  readonly cpuMs: number
  /** Duration of the first search after the thread has started, which includes loading the knowledge base. */
  readonly loadMs: number
  readonly memoryIncreaseMb: number
  readonly sizeMb: number
}

interface BaseStats {
  readonly sources: number
  readonly fillSeconds: number
  readonly words: SearchStats
  readonly vectors: SearchStats
}

interface BuildStats {
  readonly ms: number
  readonly kilobytes: number
}

interface Stats {
  readonly bases: Readonly<Record<string, BaseStats>>
  readonly recall: Recall
}

async function measure(name: DatabaseName): Promise<Stats> {
  return await withSearchDatabase(name, async ({ database, databaseLocation, runMaintenance }) => {
    await fillKnowledge(database, EMPTY_BASE, [])
    const bases: Record<string, BaseStats> = {}
    let recall: Recall | null = null
    for (const { name: baseName, id, sources, starts } of PREPARED_BASES) {
      const startedAt = performance.now()
      await fillKnowledge(database, id, sources)
      const fillSeconds = roundStat((performance.now() - startedAt) / 1000)
      await runMaintenance()
      recall ??= await measureRecall(database, { id, sources }, createQuestions(sources, RECALL_QUESTIONS, 11))
      const target = { databaseLocation, id, sources, starts }
      const lexicalSearch = measureSearches(target, false)
      // A smoke run reports no times, so both searches can run at once.
      const hybridSearch = smoke
        ? measureSearches(target, true)
        : lexicalSearch.then(() => measureSearches(target, true))
      const [words, vectors] = await Promise.all([lexicalSearch, hybridSearch])
      bases[baseName] = { sources: sources.length, fillSeconds, words, vectors }
    }
    if (recall === null) throw new Error('Nothing was measured.')
    return { bases, recall }
  })
}

interface SearchTarget {
  readonly databaseLocation: string
  readonly id: string
  readonly sources: readonly BenchSource[]
  readonly starts: number
}

/** Measures in separate processes: `starts` processes with one question each, and one process with all questions. */
async function measureSearches(
  { databaseLocation, id, sources, starts }: SearchTarget,
  withVectors: boolean,
): Promise<SearchStats> {
  const task = { databaseLocation, knowledgeBaseId: id, withVectors, topK: TOP_K }
  const coldRuns: SearchTimes[] = []
  for (const question of createQuestions(sources, starts, 13)) {
    coldRuns.push(await runSearchProcess({ ...task, emptyBaseId: null, questions: [question] }))
  }
  const questions = createQuestions(sources, WARM_UPS + QUESTIONS, 17)
  const warmRun = await runSearchProcess({ ...task, emptyBaseId: starts === 0 ? null : EMPTY_BASE, questions })
  if (starts === 0) coldRuns.push(warmRun)
  const times = warmRun.times.slice(WARM_UPS)
  return {
    firstMs: roundStat(calculateMedian(coldRuns.map(({ firstMs }) => firstMs))),
    maxFirstMs: roundStat(Math.max(...coldRuns.map(({ firstMs }) => firstMs))),
    firstCpuMs: roundStat(calculateMedian(coldRuns.map(({ firstCpuMs }) => firstCpuMs))),
    p50Ms: roundStat(calculatePercentile(times, 0.5)),
    p95Ms: roundStat(calculatePercentile(times, 0.95)),
    p99Ms: roundStat(calculatePercentile(times, 0.99)),
    threadP95Ms: roundStat(calculatePercentile(warmRun.threadTimes.slice(WARM_UPS), 0.95)),
    cpuMs: roundStat(((warmRun.cpuTimes.at(-1) ?? 0) - (warmRun.cpuTimes[WARM_UPS - 1] ?? 0)) / QUESTIONS),
    loadMs: roundStat(warmRun.times[0] ?? Number.NaN),
    memoryIncreaseMb: roundStat(warmRun.memoryIncreaseMb),
    sizeMb: roundStat(warmRun.sizeBytes / 1e6),
  }
}

async function runSearchProcess(task: SearchTask): Promise<SearchTimes> {
  await using child = startProcess(PROGRAM, {
    nodeFlags: ['--expose-gc'],
    programArguments: [JSON.stringify(task)],
  })
  return JSON.parse(await Promise.race([child.firstLine, child.failure])) as SearchTimes
}

/** Measures the index build only: words, stems and stored bytes. Reading and chunking are excluded. */
function measureBuild(chunkCount: number): BuildStats {
  const random = createRandom(19)
  const times: number[] = []
  let length = 0
  for (let build = -1; build < BUILD_RUNS; build += 1) {
    const { chunks } = createDocument(chunkCount, random)
    const startedAt = performance.now()
    length = buildSegment(chunks).length
    if (build >= 0) times.push(performance.now() - startedAt)
  }
  return { ms: roundStat(calculateMedian(times)), kilobytes: roundStat(length / 1e3) }
}

const COLUMNS: readonly (readonly [heading: string, key: keyof SearchStats])[] = [
  ['first', 'firstMs'],
  ['slowest first', 'maxFirstMs'],
  ['first CPU', 'firstCpuMs'],
  ['load', 'loadMs'],
  ['p50', 'p50Ms'],
  ['p95', 'p95Ms'],
  ['p99', 'p99Ms'],
  ['thread p95', 'threadP95Ms'],
  ['CPU', 'cpuMs'],
  ['added MB', 'memoryIncreaseMb'],
  ['index MB', 'sizeMb'],
]

function printStats(name: DatabaseName, { bases, recall }: Stats): void {
  const toRow = (kind: string, base: string, stats: SearchStats): Row => [
    kind,
    base,
    ...COLUMNS.map(([, key]) => stats[key]),
  ]
  printTable(
    [`${name}: ms`, 'passages', ...COLUMNS.map(([heading]) => heading)],
    Object.entries(bases).flatMap(([base, { words, vectors }]) => [
      toRow('words', base, words),
      toRow('words, vectors', base, vectors),
    ]),
  )
  console.log(
    `recall of ${recall.questions} questions compared with a scan: words ${recall.words}, vectors ${recall.vectors}; ` +
      `filled in ${Object.values(bases)
        .map(({ fillSeconds }) => fillSeconds)
        .join(', ')} s`,
  )
}

const builds = Object.fromEntries(DOCUMENTS.map((chunks) => [chunks, measureBuild(chunks)]))
printTable(
  ['passages per document', 'indexing ms', 'kB'],
  Object.entries(builds).map(([chunks, { ms, kilobytes }]) => [chunks, ms, kilobytes]),
)
const databases: Partial<Record<DatabaseName, Stats>> = {}
for (const name of chooseDatabases(onlyDatabase)) {
  const stats = await measure(name)
  databases[name] = stats
  printStats(name, stats)
}
printResult('retrieval', smoke, { loadAverage: loadavg().map(roundStat), builds, databases })
