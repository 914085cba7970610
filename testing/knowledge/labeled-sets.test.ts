import { describe, expect, test } from 'vitest'
import { createBm25Ranking, createEngineRanking, measureQuality } from '../../bench/harness/measure-quality.ts'
import { parseLabeledSet } from '../../bench/harness/read-labeled-sets.ts'

const SQUAD = {
  data: [
    {
      title: 'Harbor',
      paragraphs: [
        {
          context: 'The lighthouse was built in 1871. It is open on Sundays.',
          qas: [
            { question: 'When was the lighthouse built?', answers: [{ text: '1871', answer_start: 28 }] },
            { question: 'Who owns the lighthouse?', answers: [] },
          ],
        },
        {
          context: 'The ferry leaves every hour.',
          qas: [{ question: 'When does it leave?', answers: [{ text: 'every hour' }] }],
        },
      ],
    },
  ],
}

const FAQ = [
  { question: 'Can I park?', answer: 'Parking is free behind the house.', asked: ['Where do I leave the car?'] },
  { question: 'Is there a pool?', answer: 'The pool is open from May.' },
]

const DIALOGUES = {
  documents: [
    { id: 'tower', title: 'Tower', text: 'Tickets cost 5 euros.\nDogs have to wait outside.' },
    { id: 'museum', title: 'Museum', text: 'Tickets cost 9 euros.' },
  ],
  dialogues: [
    {
      turns: [
        { role: 'user', text: 'I would like to see the tower.' },
        { role: 'agent', text: 'Fine.' },
        { role: 'user', text: 'What are tickets?' },
        { role: 'agent', text: '5 euros.', document: 'tower', span: [0, 21] },
      ],
    },
  ],
}

describe('a labeled set', () => {
  test.each([
    ['SQuAD', SQUAD, 2, [1, 0, 1]],
    ['FAQ', FAQ, 2, [1]],
    ['dialogues', DIALOGUES, 2, [1]],
  ])('is read from the format %s', (_format, content, sources, correctCounts) => {
    const set = parseLabeledSet('set', content)
    expect(set.sources).toHaveLength(sources)
    expect(set.questions.map((question) => question.correctKeys.size)).toEqual(correctCounts)
  })

  test('without a known format is rejected with a list of the formats', () => {
    expect(() => parseLabeledSet('list', { rows: [] })).toThrow(/"list" has an unknown format[\s\S]*SQuAD[\s\S]*FAQ/)
  })

  test('is measured by rank, and by how well scores separate unanswerable questions', async () => {
    const set = parseLabeledSet('set', SQUAD)
    const engineQuality = await measureQuality(set, createEngineRanking(set))
    expect(engineQuality).toMatchObject({ questions: 2, reciprocalRank: 1, recallAt1: 1, recallAt10: 1 })
    expect(engineQuality.separation).not.toBeNull()
    const dialogues = parseLabeledSet('set', DIALOGUES)
    const floor = await measureQuality(dialogues, createBm25Ranking(dialogues))
    expect(floor).toMatchObject({ questions: 1, reciprocalRank: 1, separation: null })
  })
})
