import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { chunkDocument } from '@parley/retrieval/chunking/chunk-document'
import type { IndexedChunk } from '@parley/retrieval/lexical/build-segment'
import * as z from 'zod'
import { createMessage, type LabeledQuestion, type LabeledSet, toPassageKey } from './labeled-set.ts'

/** Text that explains the formats for `--help`. */
export const FORMATS = `A set is one .json file. Its format is recognized by its content:
  SQuAD     {"data": [{"title"?, "paragraphs": [{"context", "qas": [{"question", "answers": [{"text", "answer_start"?}]}]}]}]}
            Each context is a document. A question without answers counts as unanswerable.
  FAQ       [{"question", "answer", "asked"?: ["other wording", ...]}]
            Without "asked", the question must find the answer. If any entry has "asked", each passage has its
            question as a heading, and only the other wordings are asked.
  dialogues {"documents": [{"id", "title"?, "text"}],
             "dialogues": [{"turns": [{"role": "user" | "agent", "text", "document"?, "span"?: [start, end]}]}]}
            The turns before an agent turn with a document are the query. The span is in characters of the
            document's text. Without a span, every passage of the document counts.`

const squadSchema = z.object({
  data: z.array(
    z.object({
      title: z.string().default(''),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              question: z.string(),
              answers: z.array(z.object({ text: z.string(), answer_start: z.number().optional() })).default([]),
            }),
          ),
        }),
      ),
    }),
  ),
})

const faqSchema = z.array(z.object({ question: z.string(), answer: z.string(), asked: z.array(z.string()).optional() }))

const dialoguesSchema = z.object({
  documents: z.array(z.object({ id: z.string(), title: z.string().default(''), text: z.string() })),
  dialogues: z.array(
    z.object({
      turns: z.array(
        z.object({
          role: z.enum(['user', 'agent']),
          text: z.string(),
          document: z.string().optional(),
          span: z.tuple([z.number(), z.number()]).optional(),
        }),
      ),
    }),
  ),
})

/** Reads every `.json` file in a folder. Throws if a file has an unknown format. */
export function loadLabeledSets(folder: string): LabeledSet[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  if (files.length === 0) throw new Error(`--sets: ${folder} has no .json file.`)
  return files.sort().map((file) => {
    const content: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return parseLabeledSet(basename(file, '.json'), content)
  })
}

/** Detects the format of a set and parses it. Throws if the format is unknown. */
export function parseLabeledSet(name: string, content: unknown): LabeledSet {
  const squad = squadSchema.safeParse(content)
  if (squad.success) return convertSquad(name, squad.data)
  const faq = faqSchema.safeParse(content)
  if (faq.success) return convertFaq(name, faq.data)
  const dialogues = dialoguesSchema.safeParse(content)
  if (dialogues.success) return convertDialogues(name, dialogues.data)
  throw new Error(`The set "${name}" has an unknown format.\n${FORMATS}`)
}

function convertSquad(name: string, { data }: z.infer<typeof squadSchema>): LabeledSet {
  const contexts = data.flatMap(({ title, paragraphs }) => paragraphs.map((paragraph) => ({ title, ...paragraph })))
  const sources = contexts.map(({ title, context }, index) => ({
    key: `${index}`,
    passages: cutPassages(title, context),
  }))
  const questions = contexts.flatMap(({ context, qas }, index) =>
    qas.flatMap(({ question, answers }): LabeledQuestion[] => {
      const passages = sources[index]?.passages ?? []
      const correctChunks = answers.flatMap(({ text, answer_start: start = context.indexOf(text) }) =>
        findOverlappingChunks(passages, context, [start, start + text.length]),
      )
      if (answers.length > 0 && correctChunks.length === 0) return []
      return [createQuestion([createMessage('user', question)], `${index}`, correctChunks)]
    }),
  )
  return { name, sources, questions }
}

function convertFaq(name: string, entries: z.infer<typeof faqSchema>): LabeledSet {
  const hasAlternativePhrasings = entries.some(({ asked }) => asked !== undefined)
  const sources = entries.map(({ question, answer }, index) => ({
    key: `${index}`,
    passages: cutPassages('', answer, hasAlternativePhrasings ? [question] : []),
  }))
  const questions = entries.flatMap(({ question, asked = [] }, index) =>
    (hasAlternativePhrasings ? asked : [question]).map((text) => {
      return createQuestion([createMessage('user', text)], `${index}`, sources[index]?.passages ?? [])
    }),
  )
  return { name, sources, questions }
}

function convertDialogues(name: string, { documents, dialogues }: z.infer<typeof dialoguesSchema>): LabeledSet {
  const texts = new Map(documents.map(({ id, text }) => [id, text]))
  const sources = documents.map(({ id, title, text }) => ({ key: id, passages: cutPassages(title, text) }))
  const passages = new Map(sources.map((source) => [source.key, source.passages]))
  const questions = dialogues.flatMap(({ turns }) =>
    turns.flatMap(({ role, document, span }, index): LabeledQuestion[] => {
      const documentPassages = document === undefined ? undefined : passages.get(document)
      if (role !== 'agent' || document === undefined || documentPassages === undefined) return []
      const history = turns
        .slice(0, index)
        .map((turn) => createMessage(turn.role === 'user' ? 'user' : 'assistant', turn.text))
      const correctChunks =
        span === undefined ? documentPassages : findOverlappingChunks(documentPassages, texts.get(document) ?? '', span)
      return history.some((message) => message.role === 'user') && correctChunks.length > 0
        ? [createQuestion(history, document, correctChunks)]
        : []
    }),
  )
  return { name, sources, questions }
}

function createQuestion(
  messages: LabeledQuestion['messages'],
  source: string,
  correctChunks: readonly IndexedChunk[],
): LabeledQuestion {
  return { messages, correctKeys: new Set(correctChunks.map(({ position }) => toPassageKey(source, position))) }
}

/** Cuts a text like a document in a knowledge base, with the default sizes. */
function cutPassages(title: string, text: string, headings: readonly string[] = []): IndexedChunk[] {
  const blocks = text.split(/\n+/).map((line) => ({ kind: 'paragraph' as const, text: line, page: null }))
  const document = { title: null, blocks, pageCount: null, links: [] }
  const chunks = chunkDocument(document, { maxChunkSize: 2000, minChunkSize: 400 })
  return chunks.map((chunk) => ({ position: chunk.position, text: chunk.text, title, headings: [...headings] }))
}

/** Returns the passages that overlap a span of the original text. */
function findOverlappingChunks(
  passages: readonly IndexedChunk[],
  text: string,
  [from, to]: readonly [number, number],
): IndexedChunk[] {
  const removeSpaces = (part: string): string => part.replace(/\s+/gu, '')
  const [start, end] = [removeSpaces(text.slice(0, from)).length, removeSpaces(text.slice(0, to)).length]
  let offset = 0
  return passages.filter((passage) => {
    const chunkStart = offset
    offset += removeSpaces(passage.text).length
    return chunkStart < end && offset > start
  })
}
