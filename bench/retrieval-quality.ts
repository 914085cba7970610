import { parseArgs } from 'node:util'
import { readConfig } from '../packages/server/src/config.ts'
import { readCorpusQuestionSets } from './harness/corpus-question-sets.ts'
import { embedLabeledSet } from './harness/embed-set.ts'
import type { LabeledSet } from './harness/labeled-set.ts'
import { createBm25Ranking, createEngineRanking, measureQuality, type Quality } from './harness/measure-quality.ts'
import { readOptions } from './harness/options.ts'
import { FORMATS, loadLabeledSets } from './harness/read-labeled-sets.ts'
import { printResult, printTable, type Row } from './harness/report.ts'

/**
 * Measures the ranking of knowledge search against plain BM25 over the same passages, on the questions of `testing/knowledge`
 * and the labeled sets in `--sets=<folder>`. If the server's environment has an embedding model, hybrid search is also
 * measured.
 */
const HELP = `node bench/retrieval-quality.ts [--sets=<folder>] [--smoke]

EMBEDDING_MODEL with EMBEDDING_BASE_URL or EMBEDDING_API_KEY adds a column for hybrid search.
${FORMATS}`

const { smoke } = readOptions()
const { values } = parseArgs({ options: { sets: { type: 'string' }, help: { type: 'boolean' } }, strict: false })

interface SetStats {
  readonly set: string
  readonly passages: number
  readonly engineRanking: Quality
  readonly plainBm25: Quality
  /** Quality of hybrid search, or `null` if there is no embedding model. */
  readonly hybrid: Quality | null
}

const { embedding } = readConfig(
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:EMBEDDING|OPENAI)_/.test(name))),
)

async function measure(set: LabeledSet): Promise<SetStats> {
  const passages = set.sources.reduce((sum, source) => sum + source.passages.length, 0)
  const engineRanking = await measureQuality(set, createEngineRanking(set))
  const plainBm25 = await measureQuality(set, createBm25Ranking(set))
  return { set: set.name, passages, engineRanking, plainBm25, hybrid: await measureHybrid(set) }
}

async function measureHybrid(set: LabeledSet): Promise<Quality | null> {
  if (embedding === undefined) return null
  await using vectors = await embedLabeledSet(set, embedding)
  return await measureQuality(set, createEngineRanking(set, vectors))
}

const COLUMNS = ['reciprocalRank', 'recallAt1', 'recallAt5', 'recallAt10'] as const
const formatShare = (share: number): string => share.toFixed(3)

function toRow({ set, passages, engineRanking, plainBm25, hybrid }: SetStats): Row {
  const pairs = COLUMNS.map((column) =>
    [engineRanking, plainBm25, ...(hybrid === null ? [] : [hybrid])]
      .map((quality) => formatShare(quality[column]))
      .join(' : '),
  )
  return [
    set,
    passages,
    engineRanking.questions,
    ...pairs,
    engineRanking.separation === null ? '' : formatShare(engineRanking.separation),
  ]
}

function averageQuality(stats: readonly SetStats[], ranking: 'engineRanking' | 'plainBm25'): number {
  return stats.reduce((sum, setStats) => sum + setStats[ranking].reciprocalRank, 0) / stats.length
}

if (values.help === true) console.log(HELP)
else {
  const sets = [...readCorpusQuestionSets(), ...(typeof values.sets === 'string' ? loadLabeledSets(values.sets) : [])]
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
    stats.map(toRow),
  )
  console.log(
    `mean MRR@5: ${formatShare(averageQuality(stats, 'engineRanking'))} : ${formatShare(averageQuality(stats, 'plainBm25'))}`,
  )
  printResult('retrieval-quality', smoke, { stats })
}
