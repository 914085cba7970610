import { describe, expect, test } from 'vitest'
import { type FoundInTurn, passagesOfMessages, passagesOfTurn, sourcesOf } from './cited-passages.ts'

const found = (turnId: string, text: string, page: number | null = null): FoundInTurn => ({
  turnId,
  text,
  page,
  knowledgeBaseId: 'kb_1',
  sourceId: 'source_1',
  sourceType: 'file',
  sourceName: 'Manual',
  url: null,
  headings: [],
  score: 1,
  mode: 'lexical',
})
const said = (id: string, turnId: string | null, role: 'user' | 'assistant' = 'assistant', content = 'Yes.') => ({
  ...{ message_id: id, turn_id: turnId, role, content },
})

describe('passages of a chat', () => {
  test('stand with the last thing that was said in their turn', () => {
    const messages = [
      said('opening', null),
      said('question', 'turn_1', 'user'),
      said('one moment', 'turn_1'),
      said('tools only', 'turn_1', 'assistant', ''),
      said('answer', 'turn_1'),
      said('later', 'turn_2'),
    ]
    const passages = [found('turn_1', 'a'), found('turn_1', 'b'), found('turn_gone', 'c')]
    expect([...passagesOfMessages(messages, passages)]).toEqual([['answer', passages.slice(0, 2)]])
  })

  test('are none outside of turns', () => {
    expect(passagesOfTurn([found('turn_1', 'a')], null)).toEqual([])
  })

  test('name each place once', () => {
    const places = sourcesOf([found('turn_1', 'a', 3), found('turn_1', 'b', 4), found('turn_1', 'c', 3)])
    expect(places.map(({ page }) => page)).toEqual([3, 4])
  })
})
