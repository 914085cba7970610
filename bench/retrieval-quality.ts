import { parseArgs } from 'node:util'
import type { LabeledSet } from './harness/labeled-set.ts'
import { measureQuality, type Quality, rankByPlainBm25, rankOurs } from './harness/measure-quality.ts'
import { readOptions } from './harness/options.ts'
import { ownQuestions } from './harness/own-questions.ts'
import { FORMATS, readLabeledSets } from './harness/read-labeled-sets.ts'
import { printResult, printTable, type Row } from './harness/report.ts'

/**
 * How well knowledge bases are searched, beside plain BM25 over the same passages: on the questions of `testing/knowledge` and
 * on labeled sets of a folder, `--sets=<folder>`. Fetches nothing.
 */
const HELP = `node bench/retrieval-quality.ts [--sets=<folder>] [--smoke]

${FORMATS}`

const { smoke } = readOptions()
const { values } = parseArgs({ options: { sets: { type: 'string' }, help: { type: 'boolean' } }, strict: false })

interface SetFigures {
  readonly set: string
  readonly passages: number
  readonly ours: Quality
  readonly plainBm25: Quality
}

async function measure(set: LabeledSet): Promise<SetFigures> {
  const passages = set.sources.reduce((sum, source) => sum + source.passages.length, 0)
  const ours = await measureQuality(set, rankOurs(set))
  return { set: set.name, passages, ours, plainBm25: await measureQuality(set, rankByPlainBm25(set)) }
}

const COLUMNS = ['reciprocalRank', 'recallAt1', 'recallAt5', 'recallAt10'] as const
const show = (share: number): string => share.toFixed(3)

function rowOf({ set, passages, ours, plainBm25 }: SetFigures): Row {
  const pairs = COLUMNS.map((column) => `${show(ours[column])} : ${show(plainBm25[column])}`)
  return [set, passages, ours.questions, ...pairs, ours.separation === null ? '' : show(ours.separation)]
}

function meanOf(figures: readonly SetFigures[], which: 'ours' | 'plainBm25'): number {
  return figures.reduce((sum, one) => sum + one[which].reciprocalRank, 0) / figures.length
}

if (values.help === true) console.log(HELP)
else {
  const sets = [...ownQuestions(), ...(typeof values.sets === 'string' ? readLabeledSets(values.sets) : [])]
  const figures: SetFigures[] = []
  for (const set of smoke ? sets.slice(0, 1) : sets) figures.push(await measure(set))
  printTable(
    ['set (ours : BM25)', 'passages', 'questions', 'MRR@5', 'recall@1', 'recall@5', 'recall@10', 'separation'],
    figures.map(rowOf),
  )
  console.log(`mean MRR@5: ${show(meanOf(figures, 'ours'))} : ${show(meanOf(figures, 'plainBm25'))}`)
  printResult('retrieval-quality', smoke, { figures })
}
