import type { Passage } from '@parley/contract/knowledge-passage'
import type { ModelMessage } from '@parley/engine/ports'
import { createOfflineModel } from '@parley/offline-model/offline-model'
import { describe, expect, test } from 'vitest'
import { wordsOf } from './content-words.ts'
import { answers, corpusPassages, passageText } from './corpus-passages.ts'
import { type FoundPassage, lexicalIndex } from './lexical-index.ts'
import { loadCorpus } from './load-corpus.ts'
import { weightedTexts } from './measure-search.ts'
import type { AnswerableQuestion } from './question.ts'
import { heldOut, type QuestionSet, tuning, unseen } from './questions.ts'

const corpus = loadCorpus()
const find = lexicalIndex(corpus, corpusPassages(corpus))
const titles = new Map(corpus.map(({ name, document }) => [name, document.title ?? name]))
const model = createOfflineModel()

/** Replies without an answer in the documents. */
const refuses =
  /^(?:I could not find that|I am afraid my documents|Dazu finde ich|Leider steht|Je n'ai pas trouvé cela|Malheureusement, les|No he encontrado eso|Lo siento, los)/
/** The lead-in of a reply with the nearest passage. */
const nearestMatchLeadIn =
  /^(?:I could not find exactly that|Genau das finde ich nicht|Je n'ai pas trouvé exactement cela|No he encontrado exactamente eso)\. [^:]{5,30}: /

/** `REPORT_SEARCH=1` prints stats. */
const wantsReport = process.env['REPORT_SEARCH'] !== undefined

function passageOf({ passage, score }: FoundPassage): Passage {
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

async function reply(question: string, previous: string | null): Promise<{ text: string; found: FoundPassage[] }> {
  const found = find(weightedTexts({ question, previous }), 3)
  const before: ModelMessage[] =
    previous === null
      ? []
      : [
          { role: 'user', content: previous },
          { role: 'assistant', content: 'Certainly.', toolCalls: [] },
        ]
  const messages: ModelMessage[] = [
    { role: 'system', content: 'You are the assistant of the company. Answer briefly.' },
    ...before,
    { role: 'system', content: 'Passages', passages: found.map(passageOf) },
    { role: 'user', content: question },
  ]
  let text = ''
  const signal = new AbortController().signal
  for await (const event of model.stream({ messages, tools: [], toolChoice: 'auto', signal }))
    if (event.type === 'text-delta') text += event.text
  return { text, found }
}

/** Whether a sentence of the reply has all its words from the passage that answers: near-duplicates have others. */
function isQuotedFrom(text: string, { passage }: FoundPassage): boolean {
  const there = new Set(wordsOf(`${passageText(passage)} ${titles.get(passage.document) ?? ''}`))
  const sentences = text.replace(/\s\([^()]*\)/g, '').split(/(?<=[.!?])\s+/)
  return sentences.some((sentence) => {
    const words = wordsOf(sentence)
    return words.length >= 3 && words.every((word) => there.has(word))
  })
}

const KINDS = ['refused', 'near', 'outright'] as const

/** The kind of a reply: no answer, the nearest passage, or an answer. */
function kindOf(text: string): (typeof KINDS)[number] {
  if (refuses.test(text)) return 'refused'
  return nearestMatchLeadIn.test(text) ? 'near' : 'outright'
}

const OUTCOMES = ['right', 'nearRight', 'refused', 'nearWrong', 'wrong'] as const
type Outcome = (typeof OUTCOMES)[number]

/** The outcome of a question; `null` when the search did not find its passage. */
async function outcomeOf(question: AnswerableQuestion): Promise<Outcome | null> {
  const { text, found } = await reply(question.question, question.previous)
  const right = found.find(({ passage }) => answers(passage, question))
  if (right === undefined) return null
  const kind = kindOf(text)
  if (kind === 'refused') return kind
  const isFaithful = isQuotedFrom(text.replace(nearestMatchLeadIn, ''), right)
  if (kind === 'near') return isFaithful ? 'nearRight' : 'nearWrong'
  return isFaithful ? 'right' : 'wrong'
}

interface Measured {
  /** The share of each outcome among the questions with a found passage. */
  readonly answerable: Readonly<Record<Outcome, number>>
  /** The share of each kind among the questions without an answer. */
  readonly unanswerable: Readonly<Record<(typeof KINDS)[number], number>>
}

function sharesOf<Name extends string>(names: readonly Name[], outcomes: readonly Name[]): Record<Name, number> {
  const share = (name: Name): number => outcomes.filter((one) => one === name).length / outcomes.length
  return Object.fromEntries(names.map((name) => [name, share(name)])) as Record<Name, number>
}

async function measure({ answerable, unanswerable }: QuestionSet): Promise<Measured> {
  const outcomes: Outcome[] = []
  for (const question of answerable) {
    const outcome = await outcomeOf(question)
    if (outcome !== null) outcomes.push(outcome)
  }
  const kinds: (typeof KINDS)[number][] = []
  for (const { question } of unanswerable) kinds.push(kindOf((await reply(question, null)).text))
  return {
    answerable: sharesOf(OUTCOMES, outcomes),
    unanswerable: sharesOf(KINDS, kinds),
  }
}

function lineOf(name: string, shares: Readonly<Record<string, number>>): string {
  return `${name}: ${Object.entries(shares)
    .map(([outcome, share]) => `${outcome} ${(share * 100).toFixed(1)} %`)
    .join(', ')}\n`
}

describe.each(Object.entries({ tuning, unseen, heldOut }))('the offline model on %s', async (name, questions) => {
  const { answerable, unanswerable } = await measure(questions)

  if (wantsReport) {
    process.stdout.write(lineOf(`${name}, with an answer`, answerable))
    process.stdout.write(lineOf(`${name}, without`, unanswerable))
  }

  test('says so when the documents do not answer', () => {
    expect(unanswerable.refused + unanswerable.near).toBeGreaterThanOrEqual(0.9)
  })

  test('quotes the right passage more often than not when it was found', () => {
    expect(answerable.right + answerable.nearRight).toBeGreaterThanOrEqual(0.5)
  })

  test('rarely answers from the wrong passage', () => {
    expect(answerable.wrong).toBeLessThanOrEqual(0.1)
  })
})
