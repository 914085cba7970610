import { answers, corpusPassages } from '../../testing/knowledge/corpus-passages.ts'
import { loadCorpus } from '../../testing/knowledge/load-corpus.ts'
import { heldOut, type QuestionSet, tuning, unseen } from '../../testing/knowledge/questions.ts'
import { type LabeledSet, messageOf, passageKey } from './labeled-set.ts'

/** The questions of `testing/knowledge`, one set for each part of them. */
export function corpusQuestionSets(): LabeledSet[] {
  const corpus = loadCorpus()
  const passages = corpusPassages(corpus)
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
      ...answerable.map((one) => ({
        messages: [one.previous, one.question].flatMap((text) => (text === null ? [] : [messageOf('user', text)])),
        right: new Set(
          passages
            .filter((passage) => answers(passage, one))
            .map(({ document, chunk }) => passageKey(document, chunk.position)),
        ),
      })),
      ...unanswerable.map(({ question }) => ({ messages: [messageOf('user', question)], right: new Set<string>() })),
    ],
  })
  return [
    toLabeledSet('own, tuning', tuning),
    toLabeledSet('own, unseen', unseen),
    toLabeledSet('own, held out', heldOut),
  ]
}
