import { containsAnswer, listPassages } from '../../testing/knowledge/corpus-passages.ts'
import { loadCorpus } from '../../testing/knowledge/load-corpus.ts'
import { heldOut, type QuestionSet, tuning, unseen } from '../../testing/knowledge/questions.ts'
import { createMessage, type LabeledSet, toPassageKey } from './labeled-set.ts'

/** Returns the questions of `testing/knowledge`, with one set per part. */
export function readCorpusQuestionSets(): LabeledSet[] {
  const corpus = loadCorpus()
  const passages = listPassages(corpus)
  const sources = corpus.map(({ name, document }) => ({
    key: name,
    passages: passages
      .filter((passage) => passage.document === name)
      .map(({ chunk }) => ({ ...chunk, title: document.title ?? name })),
  }))
  const toLabeledSet = (name: string, { answerable, unanswerable }: QuestionSet): LabeledSet => ({
    name,
    sources,
    questions: [
      ...answerable.map((question) => ({
        messages: [question.previous, question.question].flatMap((text) =>
          text === null ? [] : [createMessage('user', text)],
        ),
        correctKeys: new Set(
          passages
            .filter((passage) => containsAnswer(passage, question))
            .map(({ document, chunk }) => toPassageKey(document, chunk.position)),
        ),
      })),
      ...unanswerable.map(({ question }) => ({
        messages: [createMessage('user', question)],
        correctKeys: new Set<string>(),
      })),
    ],
  })
  return [
    toLabeledSet('own, tuning', tuning),
    toLabeledSet('own, unseen', unseen),
    toLabeledSet('own, held out', heldOut),
  ]
}
