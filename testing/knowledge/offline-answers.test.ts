import type { Passage } from '@parley/contract/knowledge-passage'
import type { ModelMessage } from '@parley/engine/ports'
import { createOfflineModel } from '@parley/offline-model/offline-model'
import { describe, expect, test } from 'vitest'
import { splitWords } from './content-words.ts'
import { containsAnswer, formatPassage, listPassages } from './corpus-passages.ts'
import { createLexicalIndex, type FoundPassage } from './lexical-index.ts'
import { loadCorpus } from './load-corpus.ts'
import { buildWeightedTexts } from './measure-search.ts'
import type { AnswerableQuestion } from './question.ts'
import { heldOut, type QuestionSet, tuning, unseen } from './questions.ts'

const corpus = loadCorpus()
const findPassages = createLexicalIndex(corpus, listPassages(corpus))
const titles = new Map(corpus.map(({ name, document }) => [name, document.title ?? name]))
const model = createOfflineModel()

/** Matches replies that the documents contain no answer. */
const REFUSAL =
  /^(?:I could not find that|I am afraid my documents|Dazu finde ich|Leider steht|Je n'ai pas trouvé cela|Malheureusement, les|No he encontrado eso|Lo siento, los)/
/** Matches the lead-in of a reply with the nearest passage. */
const NEAR_MATCH =
  /^(?:I could not find exactly that|Genau das finde ich nicht|Je n'ai pas trouvé exactement cela|No he encontrado exactamente eso)\. [^:]{5,30}: /

/** `REPORT_SEARCH=1` prints stats. */
const wantsReport = process.env['REPORT_SEARCH'] !== undefined

function toPassage({ passage, score }: FoundPassage): Passage {
  const { document, chunk } = passage
  return {
    knowledgeBaseId: 'knowledge_base_1',
    sourceId: document,
    sourceType: 'file',
    sourceName: titles.get(document) ?? document,
    url: null,
    page: chunk.page,
    headings: [...chunk.headings],
    text: chunk.text,
    score,
    mode: 'lexical',
  }
}

async function askModel(question: string, previous: string | null): Promise<{ text: string; found: FoundPassage[] }> {
  const found = findPassages(buildWeightedTexts({ question, previous }), 3)
  const history: ModelMessage[] =
    previous === null
      ? []
      : [
          { role: 'user', content: previous },
          { role: 'assistant', content: 'Certainly.', toolCalls: [] },
        ]
  const messages: ModelMessage[] = [
    { role: 'system', content: 'You are the assistant of the company. Answer briefly.' },
    ...history,
    { role: 'system', content: 'Passages', passages: found.map(toPassage) },
    { role: 'user', content: question },
  ]
  let text = ''
  const signal = new AbortController().signal
  for await (const event of model.stream({ messages, tools: [], toolChoice: 'auto', signal }))
    if (event.type === 'text-delta') text += event.text
  return { text, found }
}

/** Whether all words of a sentence in the reply are from the passage, since near-duplicates contain different words. */
function isQuotedFrom(text: string, { passage }: FoundPassage): boolean {
  const passageWords = new Set(splitWords(`${formatPassage(passage)} ${titles.get(passage.document) ?? ''}`))
  const sentences = text.replace(/\s\([^()]*\)/g, '').split(/(?<=[.!?])\s+/)
  return sentences.some((sentence) => {
    const words = splitWords(sentence)
    return words.length >= 3 && words.every((word) => passageWords.has(word))
  })
}

const KINDS = ['refused', 'near', 'outright'] as const

/** Classifies a reply as no answer, the nearest passage, or an answer. */
function classifyReply(text: string): (typeof KINDS)[number] {
  if (REFUSAL.test(text)) return 'refused'
  return NEAR_MATCH.test(text) ? 'near' : 'outright'
}

const OUTCOMES = ['right', 'nearRight', 'refused', 'nearWrong', 'wrong'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Returns the outcome of a question, or `null` if the search did not find its passage. */
async function measureOutcome(question: AnswerableQuestion): Promise<Outcome | null> {
  const { text, found } = await askModel(question.question, question.previous)
  const answerPassage = found.find(({ passage }) => containsAnswer(passage, question))
  if (answerPassage === undefined) return null
  const kind = classifyReply(text)
  if (kind === 'refused') return kind
  const isFaithful = isQuotedFrom(text.replace(NEAR_MATCH, ''), answerPassage)
  if (kind === 'near') return isFaithful ? 'nearRight' : 'nearWrong'
  return isFaithful ? 'right' : 'wrong'
}

interface Measured {
  /** The share of each outcome among the questions with a found passage. */
  readonly answerable: Readonly<Record<Outcome, number>>
  /** The share of each kind among the questions without an answer. */
  readonly unanswerable: Readonly<Record<(typeof KINDS)[number], number>>
}

function calculateShares<Name extends string>(names: readonly Name[], outcomes: readonly Name[]): Record<Name, number> {
  const calculateShare = (name: Name): number => outcomes.filter((outcome) => outcome === name).length / outcomes.length
  return Object.fromEntries(names.map((name) => [name, calculateShare(name)])) as Record<Name, number>
}

async function measure({ answerable, unanswerable }: QuestionSet): Promise<Measured> {
  const outcomes: Outcome[] = []
  for (const question of answerable) {
    const outcome = await measureOutcome(question)
    if (outcome !== null) outcomes.push(outcome)
  }
  const kinds: (typeof KINDS)[number][] = []
  for (const { question } of unanswerable) kinds.push(classifyReply((await askModel(question, null)).text))
  return {
    answerable: calculateShares(OUTCOMES, outcomes),
    unanswerable: calculateShares(KINDS, kinds),
  }
}

function formatShares(name: string, shares: Readonly<Record<string, number>>): string {
  return `${name}: ${Object.entries(shares)
    .map(([outcome, share]) => `${outcome} ${(share * 100).toFixed(1)} %`)
    .join(', ')}\n`
}

describe.each(Object.entries({ tuning, unseen, heldOut }))('the offline model on %s', async (name, questions) => {
  const { answerable, unanswerable } = await measure(questions)

  if (wantsReport) {
    process.stdout.write(formatShares(`${name}, with an answer`, answerable))
    process.stdout.write(formatShares(`${name}, without`, unanswerable))
  }

  test('says so when the documents contain no answer', () => {
    expect(unanswerable.refused + unanswerable.near).toBeGreaterThanOrEqual(0.9)
  })

  test('quotes the right passage more often than not when it was found', () => {
    expect(answerable.right + answerable.nearRight).toBeGreaterThanOrEqual(0.5)
  })

  test('rarely answers from the wrong passage', () => {
    expect(answerable.wrong).toBeLessThanOrEqual(0.1)
  })
})
