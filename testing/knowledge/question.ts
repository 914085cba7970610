/** A question that one passage of the corpus answers. */
export interface AnswerableQuestion {
  readonly question: string
  /** What the user said before; the question goes on from it. */
  readonly previous: string | null
  /** File name of the document that answers it. */
  readonly document: string
  /** Stands in the passage that answers it and in no other of the corpus. */
  readonly snippet: string
  /** What the user names that tells the passage from its near-duplicates. */
  readonly distinguishing: string
}

/** A question that sounds as if the documents answered it, which they do not. */
export interface UnanswerableQuestion {
  readonly question: string
  /** The documents that it is asked of. */
  readonly documents: readonly string[]
}

/** Questions asked of one document: snippet, what tells the passage apart, question, and what was said before. */
export function questionsAbout(
  document: string,
  rows: readonly (readonly [snippet: string, distinguishing: string, question: string, previous?: string])[],
): AnswerableQuestion[] {
  return rows.map(([snippet, distinguishing, question, previous]) => {
    return { question, previous: previous ?? null, document, snippet, distinguishing }
  })
}

/** Questions that one document leaves open. */
export function unansweredIn(document: string, questions: readonly string[]): UnanswerableQuestion[] {
  return questions.map((question) => ({ question, documents: [document] }))
}
