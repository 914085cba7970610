import type { Passage } from '@parley/contract/knowledge-passage'
import { createOfflineModel } from '@parley/engine/dialogue/offline/offline-model'
import type { ModelMessage } from '@parley/engine/ports'
import { describe, expect, test } from 'vitest'
import { wordsOf } from './content-words.ts'
import { answers, corpusPassages, passageText } from './corpus-passages.ts'
import { type FoundPassage, lexicalIndex } from './lexical-index.ts'
import { loadCorpus } from './load-corpus.ts'
import type { AnswerableQuestion } from './question.ts'
import { heldOut, type QuestionSet, tuning, unseen } from './questions.ts'

const corpus = loadCorpus()
const find = lexicalIndex(corpus, corpusPassages(corpus))
const titles = new Map(corpus.map(({ name, document }) => [name, document.title ?? name]))
const model = createOfflineModel()

/** How the model says that the documents do not answer. */
const saysSo =
  /^(?:I could not find that|I am afraid my documents|Dazu finde ich|Leider steht|Je n'ai pas trouvé|Malheureusement, les|No he encontrado|Lo siento, los)/

/** `REPORT_SEARCH=1` prints figures, and of the tuning half what was answered wrongly. */
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
  const earlier = previous === null ? [] : [{ text: previous, weight: 0.5 }]
  const found = find([{ text: question, weight: 1 }, ...earlier], 3)
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
function isFrom(text: string, { passage }: FoundPassage): boolean {
  const there = new Set(wordsOf(`${passageText(passage)} ${titles.get(passage.document) ?? ''}`))
  const sentences = text.replace(/\s\([^()]*\)/g, '').split(/(?<=[.!?])\s+/)
  return sentences.some((sentence) => {
    const words = wordsOf(sentence)
    return words.length >= 3 && words.every((word) => there.has(word))
  })
}

/** How a question came out; `null` when the search did not find its passage. */
async function outcomeOf(question: AnswerableQuestion): Promise<'right' | 'refused' | 'wrong' | null> {
  const { text, found } = await reply(question.question, question.previous)
  const right = found.find(({ passage }) => answers(passage, question))
  if (right === undefined) return null
  return saysSo.test(text) ? 'refused' : isFrom(text, right) ? 'right' : 'wrong'
}

async function measure(half: QuestionSet): Promise<{ right: number; refused: number; wrong: number; saysSo: number }> {
  const outcomes: string[] = []
  for (const question of half.answerable) {
    const outcome = await outcomeOf(question)
    if (outcome !== null) outcomes.push(outcome)
  }
  let refusals = 0
  for (const { question } of half.unanswerable) if (saysSo.test((await reply(question, null)).text)) refusals += 1
  const share = (wanted: string): number => outcomes.filter((one) => one === wanted).length / outcomes.length
  return {
    right: share('right'),
    refused: share('refused'),
    wrong: share('wrong'),
    saysSo: refusals / half.unanswerable.length,
  }
}

const measured = { tuning: await measure(tuning), unseen: await measure(unseen) }

describe('the offline model answers from what was found', () => {
  test.runIf(wantsReport)('figures', async () => {
    process.stdout.write(`${JSON.stringify({ ...measured, heldOut: await measure(heldOut) }, null, 2)}\n`)
  })

  test('says so when the documents do not answer', () => {
    const all = tuning.unanswerable.length + unseen.unanswerable.length
    const said =
      measured.tuning.saysSo * tuning.unanswerable.length + measured.unseen.saysSo * unseen.unanswerable.length
    expect(said / all).toBeGreaterThanOrEqual(0.9)
  })

  test('answers from the right passage where it was found', () => {
    expect(measured.tuning.right).toBeGreaterThanOrEqual(0.7)
  })

  test('rather refuses than tells something wrong', () => {
    expect(measured.tuning.wrong).toBeLessThanOrEqual(0.15)
    expect(measured.unseen.wrong).toBeLessThanOrEqual(0.15)
  })
})
