import { parseArgs } from 'node:util'
import { readConfig } from '../packages/server/src/config.ts'
import { corpusQuestionSets } from './harness/corpus-question-sets.ts'
import { embedSet } from './harness/embed-set.ts'
import type { LabeledSet } from './harness/labeled-set.ts'
import { measureQuality, type Quality, rankByEngine, rankByPlainBm25 } from './harness/measure-quality.ts'
import { readOptions } from './harness/options.ts'
import { FORMATS, loadLabeledSets } from './harness/read-labeled-sets.ts'
import { printResult, printTable, type Row } from './harness/report.ts'

/**
 * Measures the ranking of knowledge search against plain BM25 over the same passages, on the questions of `testing/knowledge` and
 * on the labeled sets in `--sets=<folder>`. With an embedding model in the server's environment, hybrid search is measured as well.
 */
const HELP = `node bench/retrieval-quality.ts [--sets=<folder>] [--smoke]

EMBEDDING_MODEL with EMBEDDING_BASE_URL or EMBEDDING_API_KEY adds a column of words and vectors together.
${FORMATS}`

const { smoke } = readOptions()
const { values } = parseArgs({ options: { sets: { type: 'string' }, help: { type: 'boolean' } }, strict: false })

interface SetStats {
  readonly set: string
  readonly passages: number
  readonly engineRanking: Quality
  readonly plainBm25: Quality
  /** By words and vectors; `null` without an embedding model. */
  readonly hybrid: Quality | null
}

const { embedding } = readConfig(
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:EMBEDDING|OPENAI)_/.test(name))),
)

async function measure(set: LabeledSet): Promise<SetStats> {
  const passages = set.sources.reduce((sum, source) => sum + source.passages.length, 0)
  const engineRanking = await measureQuality(set, rankByEngine(set))
  const plainBm25 = await measureQuality(set, rankByPlainBm25(set))
  return { set: set.name, passages, engineRanking, plainBm25, hybrid: await measureHybrid(set) }
}

async function measureHybrid(set: LabeledSet): Promise<Quality | null> {
  if (embedding === undefined) return null
  await using vectors = await embedSet(set, embedding)
  return await measureQuality(set, rankByEngine(set, vectors))
}

const COLUMNS = ['reciprocalRank', 'recallAt1', 'recallAt5', 'recallAt10'] as const
const show = (share: number): string => share.toFixed(3)

function rowOf({ set, passages, engineRanking, plainBm25, hybrid }: SetStats): Row {
  const pairs = COLUMNS.map((column) =>
    [engineRanking, plainBm25, ...(hybrid === null ? [] : [hybrid])].map((one) => show(one[column])).join(' : '),
  )
  return [
    set,
    passages,
    engineRanking.questions,
    ...pairs,
    engineRanking.separation === null ? '' : show(engineRanking.separation),
  ]
}

function meanOf(stats: readonly SetStats[], which: 'engineRanking' | 'plainBm25'): number {
  return stats.reduce((sum, one) => sum + one[which].reciprocalRank, 0) / stats.length
}

if (values.help === true) console.log(HELP)
else {
  const sets = [...corpusQuestionSets(), ...(typeof values.sets === 'string' ? loadLabeledSets(values.sets) : [])]
  const stats: SetStats[] = []
  for (const set of smoke ? sets.slice(0, 1) : sets) stats.push(await measure(set))
  printTable(
    [
      `set (ours : BM25${embedding === undefined ? '' : ' : with vectors'})`,
      'passages',
      'questions',
      'MRR@5',
      'recall@1',
      'recall@5',
      'recall@10',
      'separation',
    ],
    stats.map(rowOf),
  )
  console.log(`mean MRR@5: ${show(meanOf(stats, 'engineRanking'))} : ${show(meanOf(stats, 'plainBm25'))}`)
  printResult('retrieval-quality', smoke, { stats })
}
