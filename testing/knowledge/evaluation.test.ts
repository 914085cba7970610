import { describe, expect, test } from 'vitest'
import { listPassages } from './corpus-passages.ts'
import { createLexicalIndex } from './lexical-index.ts'
import { loadCorpus } from './load-corpus.ts'
import { calculateRecall, formatReport, type MeasuredQuestion, measureSearch } from './measure-search.ts'
import { heldOut, type QuestionSet, tuning, unseen } from './questions.ts'

const corpus = loadCorpus()

/** `REPORT_SEARCH=1` prints statistics and the missed tuning questions. */
const wantsReport = process.env['REPORT_SEARCH'] !== undefined

describe.each([
  ['default sizes', { maxChunkSize: 2000, minChunkSize: 400 }],
  ['the smallest sizes', { maxChunkSize: 600, minChunkSize: 200 }],
])('a search by words over passages of %s', (sizesName, sizes) => {
  const passages = listPassages(corpus, sizes)
  const findPassages = createLexicalIndex(corpus, passages)
  const measure = ({ answerable }: QuestionSet): MeasuredQuestion[] => {
    return measureSearch(answerable, passages, (said) => findPassages(said, 10).map(({ passage }) => passage))
  }
  const results = [tuning, unseen, heldOut].map(measure)

  test('finds the right passage among the first three for four of five questions', () => {
    if (wantsReport)
      for (const [index, name] of ['tuning', 'unseen', 'held out'].entries())
        print(formatReport(`${sizesName}, ${name}`, results[index] ?? [], index === 0))
    for (const result of results) expect(calculateRecall(result, 3)).toBeGreaterThanOrEqual(0.8)
  })
})

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
