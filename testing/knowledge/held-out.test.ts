import { describe, expect, test } from 'vitest'
import { findCopiedWords, wordsOf } from './content-words.ts'
import { answers, corpusPassages, HARD_QUESTION_RATIO, passageText, shareOf, userText } from './corpus-passages.ts'
import { heldOutUnanswerable } from './held-out-questions.ts'
import { loadCorpus } from './load-corpus.ts'
import { heldOut, tuning, unseen } from './questions.ts'

const corpus = loadCorpus()
const passages = corpusPassages(corpus)
const smaller = corpusPassages(corpus, { maxChunkSize: 600, minChunkSize: 200 })
const names = corpus.map(({ name }) => name)
const foreign = new Set(corpus.filter(({ language }) => language !== 'en').map(({ name }) => name))

const plain = (text: string): string => wordsOf(text).join(' ')

/** All texts of a set in lower case and without punctuation. */
function allUserTexts({ answerable, unanswerable }: typeof heldOut): string[] {
  return [...answerable.map(userText), ...unanswerable.map(({ question }) => question)].map(plain)
}

describe('the held-out questions', () => {
  test('are enough of every kind, of all documents', () => {
    expect(heldOut.answerable.length).toBeGreaterThanOrEqual(70)
    expect(heldOut.unanswerable.length).toBeGreaterThanOrEqual(70)
    expect(new Set(heldOut.answerable.map(({ document }) => document))).toEqual(new Set(names))
    expect(new Set(heldOut.unanswerable.flatMap(({ documents }) => documents))).toEqual(new Set(names))
    expect(heldOut.answerable.filter(({ document }) => foreign.has(document)).length).toBeGreaterThanOrEqual(12)
    const unanswerableInOtherLanguages = heldOut.unanswerable.filter(({ documents }) =>
      documents.every((it) => foreign.has(it)),
    )
    expect(unanswerableInOtherLanguages.length).toBeGreaterThanOrEqual(12)
    expect(heldOut.answerable.filter(({ previous }) => previous !== null).length).toBeGreaterThanOrEqual(8)
  })

  test('share few words with their passage in about one of four', () => {
    const hard = heldOut.answerable.filter((question) => shareOf(question, passages) <= HARD_QUESTION_RATIO)
    expect(hard.length / heldOut.answerable.length).toBeGreaterThanOrEqual(0.2)
    expect(hard.length / heldOut.answerable.length).toBeLessThanOrEqual(0.3)
  })

  test('are without an answer for three reasons, a third each', () => {
    for (const questions of Object.values(heldOutUnanswerable)) {
      expect(questions.length / heldOut.unanswerable.length).toBeGreaterThan(0.3)
      expect(questions.length / heldOut.unanswerable.length).toBeLessThan(0.37)
    }
  })

  test('are asked nowhere else', () => {
    const all = [heldOut, tuning, unseen].flatMap(allUserTexts)
    expect(new Set(all).size).toBe(all.length)
  })
})

// Numbers instead of texts, because engineers who tune the search must not read these questions.
describe.each(heldOut.answerable.map((question, at) => [at + 1, question] as const))(
  'held-out question %i',
  (_, asked) => {
    test('is answered by one passage, in words of its own', () => {
      const right = passages.filter((passage) => answers(passage, asked))
      expect(right).toHaveLength(1)
      expect(smaller.filter((passage) => answers(passage, asked))).toHaveLength(1)
      expect(passages.filter(({ chunk }) => chunk.text.includes(asked.snippet))).toHaveLength(1)
      const text = right.map(passageText).join('')
      expect(findCopiedWords(userText(asked), text, 4)).toBe(null)
      expect(plain(userText(asked))).toContain(plain(asked.distinguishing))
      expect(plain(`${asked.document} ${text}`)).toContain(plain(asked.distinguishing))
    })
  },
)
