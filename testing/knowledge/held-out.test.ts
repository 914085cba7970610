import { describe, expect, test } from 'vitest'
import { findCopiedWords, splitWords } from './content-words.ts'
import {
  calculateShare,
  containsAnswer,
  formatPassage,
  getUserText,
  HARD_QUESTION_RATIO,
  listPassages,
} from './corpus-passages.ts'
import { heldOutUnanswerable } from './held-out-questions.ts'
import { loadCorpus } from './load-corpus.ts'
import { heldOut, tuning, unseen } from './questions.ts'

const corpus = loadCorpus()
const passages = listPassages(corpus)
const smallerPassages = listPassages(corpus, { maxChunkSize: 600, minChunkSize: 200 })
const names = corpus.map(({ name }) => name)
const foreignDocuments = new Set(corpus.filter(({ language }) => language !== 'en').map(({ name }) => name))

const normalizeText = (text: string): string => splitWords(text).join(' ')

/** Returns all texts of a set, in lower case and without punctuation. */
function listUserTexts({ answerable, unanswerable }: typeof heldOut): string[] {
  return [...answerable.map(getUserText), ...unanswerable.map(({ question }) => question)].map(normalizeText)
}

describe('the held-out questions', () => {
  test('cover every kind and all documents', () => {
    expect(heldOut.answerable.length).toBeGreaterThanOrEqual(70)
    expect(heldOut.unanswerable.length).toBeGreaterThanOrEqual(70)
    expect(new Set(heldOut.answerable.map(({ document }) => document))).toEqual(new Set(names))
    expect(new Set(heldOut.unanswerable.flatMap(({ documents }) => documents))).toEqual(new Set(names))
    expect(heldOut.answerable.filter(({ document }) => foreignDocuments.has(document)).length).toBeGreaterThanOrEqual(
      12,
    )
    const unanswerableInOtherLanguages = heldOut.unanswerable.filter(({ documents }) =>
      documents.every((name) => foreignDocuments.has(name)),
    )
    expect(unanswerableInOtherLanguages.length).toBeGreaterThanOrEqual(12)
    expect(heldOut.answerable.filter(({ previous }) => previous !== null).length).toBeGreaterThanOrEqual(8)
  })

  test('share few words with their passage in about one of four cases', () => {
    const hard = heldOut.answerable.filter((question) => calculateShare(question, passages) <= HARD_QUESTION_RATIO)
    expect(hard.length / heldOut.answerable.length).toBeGreaterThanOrEqual(0.2)
    expect(hard.length / heldOut.answerable.length).toBeLessThanOrEqual(0.3)
  })

  test('have no answer for three reasons, a third each', () => {
    for (const questions of Object.values(heldOutUnanswerable)) {
      expect(questions.length / heldOut.unanswerable.length).toBeGreaterThan(0.3)
      expect(questions.length / heldOut.unanswerable.length).toBeLessThan(0.37)
    }
  })

  test('do not occur in other sets', () => {
    const texts = [heldOut, tuning, unseen].flatMap(listUserTexts)
    expect(new Set(texts).size).toBe(texts.length)
  })
})

// Numbers instead of texts, because engineers who tune the search must not read these questions.
describe.each(heldOut.answerable.map((question, index) => [index + 1, question] as const))(
  'held-out question %i',
  (_, question) => {
    test('is answered by exactly one passage, in different words', () => {
      const answerPassages = passages.filter((passage) => containsAnswer(passage, question))
      expect(answerPassages).toHaveLength(1)
      expect(smallerPassages.filter((passage) => containsAnswer(passage, question))).toHaveLength(1)
      expect(passages.filter(({ chunk }) => chunk.text.includes(question.snippet))).toHaveLength(1)
      const text = answerPassages.map(formatPassage).join('')
      expect(findCopiedWords(getUserText(question), text, 4)).toBe(null)
      expect(normalizeText(getUserText(question))).toContain(normalizeText(question.distinguishing))
      expect(normalizeText(`${question.document} ${text}`)).toContain(normalizeText(question.distinguishing))
    })
  },
)
