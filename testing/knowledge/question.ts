/** A question that one passage of the corpus answers. */
export interface AnswerableQuestion {
  readonly question: string
  /** Previous message that the question continues, or null. */
  readonly previous: string | null
  /** File name of the document that answers it. */
  readonly document: string
  /** Text that only the passage with the answer contains. */
  readonly snippet: string
  /** The word that distinguishes the passage from its near-duplicates. */
  readonly distinguishing: string
}

/** A question in the words of the documents, to which they contain no answer. */
export interface UnanswerableQuestion {
  readonly question: string
  /** The documents that the question is about. */
  readonly documents: readonly string[]
}

/** Builds questions about one document from rows of snippet, distinguishing word, question and previous message. */
export function questionsAbout(
  document: string,
  rows: readonly (readonly [snippet: string, distinguishing: string, question: string, previous?: string])[],
): AnswerableQuestion[] {
  return rows.map(([snippet, distinguishing, question, previous]) => {
    return { question, previous: previous ?? null, document, snippet, distinguishing }
  })
}

/** Builds questions that a document does not answer. */
export function unansweredIn(document: string, questions: readonly string[]): UnanswerableQuestion[] {
  return questions.map((question) => ({ question, documents: [document] }))
}
