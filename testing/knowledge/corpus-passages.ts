import type { Chunk, ChunkSizes } from '@parley/retrieval/chunk'
import { chunkDocument } from '@parley/retrieval/chunking/chunk-document'
import { wordShare } from './content-words.ts'
import type { CorpusDocument } from './load-corpus.ts'
import type { AnswerableQuestion } from './question.ts'

/** Default sizes of a knowledge base. */
const DEFAULT_SIZES: ChunkSizes = { maxChunkSize: 2000, minChunkSize: 400 }

/** A passage of the corpus. */
export interface CorpusPassage {
  readonly document: string
  readonly chunk: Chunk
}

/** The passages of all documents in order. */
export function corpusPassages(corpus: readonly CorpusDocument[], sizes: ChunkSizes = DEFAULT_SIZES): CorpusPassage[] {
  return corpus.flatMap(({ name, document }) => {
    return chunkDocument(document, sizes).map((chunk) => ({ document: name, chunk }))
  })
}

/** Whether a passage answers a question. */
export function answers(passage: CorpusPassage, question: AnswerableQuestion): boolean {
  return passage.document === question.document && passage.chunk.text.includes(question.snippet)
}

/** What a reader sees of a passage. */
export function passageText({ chunk }: CorpusPassage): string {
  return [...chunk.headings, chunk.text].join('\n')
}

/** Everything that the user said, the question last. */
export function userText({ previous, question }: AnswerableQuestion): string {
  return previous === null ? question : `${previous} ${question}`
}

/** The share of the user's content words that the passage with the answer has. */
export function shareOf(question: AnswerableQuestion, passages: readonly CorpusPassage[]): number {
  const right = passages.find((passage) => answers(passage, question))
  return right === undefined ? 0 : wordShare(userText(question), passageText(right))
}

/** Questions with at most this share are reported separately. */
export const HARD_QUESTION_RATIO = 0.3
