import type { Chunk, ChunkSizes } from '@parley/retrieval/chunk'
import { chunkDocument } from '@parley/retrieval/chunking/chunk-document'
import { calculateWordShare } from './content-words.ts'
import type { CorpusDocument } from './load-corpus.ts'
import type { AnswerableQuestion } from './question.ts'

/** Default sizes of a knowledge base. */
const DEFAULT_SIZES: ChunkSizes = { maxChunkSize: 2000, minChunkSize: 400 }

/** A passage of the corpus. */
export interface CorpusPassage {
  readonly document: string
  readonly chunk: Chunk
}

/** Returns the passages of all documents, in order. */
export function listPassages(corpus: readonly CorpusDocument[], sizes: ChunkSizes = DEFAULT_SIZES): CorpusPassage[] {
  return corpus.flatMap(({ name, document }) => {
    return chunkDocument(document, sizes).map((chunk) => ({ document: name, chunk }))
  })
}

/** Whether a passage contains the answer to a question. */
export function containsAnswer(passage: CorpusPassage, question: AnswerableQuestion): boolean {
  return passage.document === question.document && passage.chunk.text.includes(question.snippet)
}

/** Formats a passage with its headings. */
export function formatPassage({ chunk }: CorpusPassage): string {
  return [...chunk.headings, chunk.text].join('\n')
}

/** Returns the user's messages, with the question last. */
export function getUserText({ previous, question }: AnswerableQuestion): string {
  return previous === null ? question : `${previous} ${question}`
}

/** Returns the share of the user's content words that the passage with the answer contains. */
export function calculateShare(question: AnswerableQuestion, passages: readonly CorpusPassage[]): number {
  const answerPassage = passages.find((passage) => containsAnswer(passage, question))
  return answerPassage === undefined ? 0 : calculateWordShare(getUserText(question), formatPassage(answerPassage))
}

/** Questions with at most this share are reported separately. */
export const HARD_QUESTION_RATIO = 0.3
