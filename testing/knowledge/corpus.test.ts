import { describe, expect, test } from 'vitest'
import { findCopiedWords, wordsOf } from './content-words.ts'
import { answers, corpusPassages, HARD_QUESTION_RATIO, passageText, shareOf, userText } from './corpus-passages.ts'
import { loadCorpus } from './load-corpus.ts'
import { tuning, unseen } from './questions.ts'

const corpus = loadCorpus()
const passages = corpusPassages(corpus)
const smaller = corpusPassages(corpus, { maxChunkSize: 600, minChunkSize: 200 })
const answerable = [...tuning.answerable, ...unseen.answerable]
const unanswerable = [...tuning.unanswerable, ...unseen.unanswerable]

const plain = (text: string): string => wordsOf(text).join(' ')

describe('the corpus', () => {
  test('has enough documents, passages and languages', () => {
    const foreign = new Set(corpus.filter(({ language }) => language !== 'en').map(({ name }) => name))
    expect(corpus.length).toBeGreaterThanOrEqual(12)
    expect(passages.length).toBeGreaterThanOrEqual(300)
    const passagesInOtherLanguages = passages.filter(({ document }) => foreign.has(document))
    expect(passagesInOtherLanguages.length / passages.length).toBeGreaterThanOrEqual(0.15)
    const questionsInOtherLanguages = answerable.filter(({ document }) => foreign.has(document))
    expect(questionsInOtherLanguages.length / answerable.length).toBeGreaterThanOrEqual(0.15)
  })

  test('has enough questions of every kind, in halves', () => {
    expect(answerable.length).toBeGreaterThanOrEqual(100)
    expect(unanswerable.length).toBeGreaterThanOrEqual(60)
    expect(Math.abs(tuning.answerable.length - unseen.answerable.length)).toBeLessThanOrEqual(6)
    expect(tuning.unanswerable.length).toBe(unseen.unanswerable.length)
    expect(answerable.filter(({ previous }) => previous !== null).length).toBeGreaterThanOrEqual(10)
    const hard = answerable.filter((question) => shareOf(question, passages) <= HARD_QUESTION_RATIO)
    expect(hard.length).toBeGreaterThanOrEqual(25)
    const all = [...answerable.map(userText), ...unanswerable.map(({ question }) => question)].map(plain)
    expect(new Set(all).size).toBe(all.length)
  })

  test('is asked of documents that are there', () => {
    const names = new Set(corpus.map(({ name }) => name))
    for (const { documents } of unanswerable) for (const name of documents) expect(names).toContain(name)
  })
})

describe.each(answerable.map((question) => [userText(question), question] as const))('%s', (said, question) => {
  test('is answered by one passage, in words of its own', () => {
    const right = passages.filter((passage) => answers(passage, question))
    expect(right).toHaveLength(1)
    expect(smaller.filter((passage) => answers(passage, question))).toHaveLength(1)
    expect(passages.filter(({ chunk }) => chunk.text.includes(question.snippet))).toHaveLength(1)
    const text = right.map(passageText).join('')
    expect(findCopiedWords(question.question, text, 4)).toBe(null)
    expect(plain(said)).toContain(plain(question.distinguishing))
    expect(plain(`${question.document} ${text}`)).toContain(plain(question.distinguishing))
  })
})
