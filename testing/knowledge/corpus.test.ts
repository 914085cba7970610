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
import { loadCorpus } from './load-corpus.ts'
import { tuning, unseen } from './questions.ts'

const corpus = loadCorpus()
const passages = listPassages(corpus)
const smallerPassages = listPassages(corpus, { maxChunkSize: 600, minChunkSize: 200 })
const answerable = [...tuning.answerable, ...unseen.answerable]
const unanswerable = [...tuning.unanswerable, ...unseen.unanswerable]

const normalizeText = (text: string): string => splitWords(text).join(' ')

describe('the corpus', () => {
  test('has enough documents, passages and languages', () => {
    const foreignDocuments = new Set(corpus.filter(({ language }) => language !== 'en').map(({ name }) => name))
    expect(corpus.length).toBeGreaterThanOrEqual(12)
    expect(passages.length).toBeGreaterThanOrEqual(300)
    const passagesInOtherLanguages = passages.filter(({ document }) => foreignDocuments.has(document))
    expect(passagesInOtherLanguages.length / passages.length).toBeGreaterThanOrEqual(0.15)
    const questionsInOtherLanguages = answerable.filter(({ document }) => foreignDocuments.has(document))
    expect(questionsInOtherLanguages.length / answerable.length).toBeGreaterThanOrEqual(0.15)
  })

  test('has enough questions of every kind, divided equally', () => {
    expect(answerable.length).toBeGreaterThanOrEqual(100)
    expect(unanswerable.length).toBeGreaterThanOrEqual(60)
    expect(Math.abs(tuning.answerable.length - unseen.answerable.length)).toBeLessThanOrEqual(6)
    expect(tuning.unanswerable.length).toBe(unseen.unanswerable.length)
    expect(answerable.filter(({ previous }) => previous !== null).length).toBeGreaterThanOrEqual(10)
    const hard = answerable.filter((question) => calculateShare(question, passages) <= HARD_QUESTION_RATIO)
    expect(hard.length).toBeGreaterThanOrEqual(25)
    const texts = [...answerable.map(getUserText), ...unanswerable.map(({ question }) => question)].map(normalizeText)
    expect(new Set(texts).size).toBe(texts.length)
  })

  test('has only questions about existing documents', () => {
    const names = new Set(corpus.map(({ name }) => name))
    for (const { documents } of unanswerable) for (const name of documents) expect(names).toContain(name)
  })
})

describe.each(answerable.map((question) => [getUserText(question), question] as const))('%s', (userText, question) => {
  test('is answered by exactly one passage, in different words', () => {
    const answerPassages = passages.filter((passage) => containsAnswer(passage, question))
    expect(answerPassages).toHaveLength(1)
    expect(smallerPassages.filter((passage) => containsAnswer(passage, question))).toHaveLength(1)
    expect(passages.filter(({ chunk }) => chunk.text.includes(question.snippet))).toHaveLength(1)
    const text = answerPassages.map(formatPassage).join('')
    expect(findCopiedWords(question.question, text, 4)).toBe(null)
    expect(normalizeText(userText)).toContain(normalizeText(question.distinguishing))
    expect(normalizeText(`${question.document} ${text}`)).toContain(normalizeText(question.distinguishing))
  })
})
