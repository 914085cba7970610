import { describe, expect, test } from 'vitest'
import { corpusPassages } from './corpus-passages.ts'
import { lexicalIndex } from './lexical-index.ts'
import { loadCorpus } from './load-corpus.ts'
import { formatReport, type MeasuredQuestion, measureSearch, ratioFoundWithin } from './measure-search.ts'
import { heldOut, type QuestionSet, tuning, unseen } from './questions.ts'

const corpus = loadCorpus()

/** `REPORT_SEARCH=1` prints figures, the questions of the tuning half that were missed and scores. */
const wantsReport = process.env['REPORT_SEARCH'] !== undefined

describe.each([
  ['default sizes', { maxChunkSize: 2000, minChunkSize: 400 }],
  ['the smallest sizes', { maxChunkSize: 600, minChunkSize: 200 }],
])('a search by words over passages of %s', (sizesName, sizes) => {
  const passages = corpusPassages(corpus, sizes)
  const find = lexicalIndex(corpus, passages)
  const measure = ({ answerable }: QuestionSet): MeasuredQuestion[] => {
    return measureSearch(answerable, passages, (said) => find(said, 10).map(({ passage }) => passage))
  }
  const measured = [tuning, unseen, heldOut].map(measure)

  test('finds the right passage among the first three for four of five questions', () => {
    if (wantsReport)
      for (const [at, name] of ['tuning', 'unseen', 'held out'].entries())
        print(formatReport(`${sizesName}, ${name}`, measured[at] ?? [], at === 0))
    for (const part of measured) expect(ratioFoundWithin(part, 3)).toBeGreaterThanOrEqual(0.8)
  })
})

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
