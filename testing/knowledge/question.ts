/** A question that one passage of the corpus answers. */
export interface AnswerableQuestion {
  readonly question: string
  /** The message before, which the question continues. */
  readonly previous: string | null
  /** File name of the document that answers it. */
  readonly document: string
  /** A text that only the passage with the answer has. */
  readonly snippet: string
  /** The word that distinguishes the passage from its near-duplicates. */
  readonly distinguishing: string
}

/** A question in the words of the documents that they do not answer. */
export interface UnanswerableQuestion {
  readonly question: string
  /** The documents that the question is about. */
  readonly documents: readonly string[]
}

/** Questions about one document: snippet, distinguishing word, question, message before. */
export function questionsAbout(
  document: string,
  rows: readonly (readonly [snippet: string, distinguishing: string, question: string, previous?: string])[],
): AnswerableQuestion[] {
  return rows.map(([snippet, distinguishing, question, previous]) => {
    return { question, previous: previous ?? null, document, snippet, distinguishing }
  })
}

/** Questions that one document does not answer. */
export function unansweredIn(document: string, questions: readonly string[]): UnanswerableQuestion[] {
  return questions.map((question) => ({ question, documents: [document] }))
}
