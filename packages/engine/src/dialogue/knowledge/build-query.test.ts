import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryMessage } from '../conversation.ts'
import { buildQuery } from './build-query.ts'

const createUserMessage = (content: string): HistoryMessage => ({ role: 'user', content })
const createAgentMessage = (content: string): HistoryMessage => ({ role: 'assistant', content, toolCalls: [] })

describe('the search query', () => {
  test('has the last message and, with less weight, earlier ones, newest first', () => {
    const messages = [
      createAgentMessage('greeting'),
      createUserMessage('first'),
      createAgentMessage('one'),
      createUserMessage('second'),
      createUserMessage('third'),
      createAgentMessage('two'),
      createUserMessage('fourth'),
      createAgentMessage('three'),
      createUserMessage('And on Sundays?'),
    ]
    expect(buildQuery(messages)).toEqual([
      { text: 'And on Sundays?', weight: 1 },
      { text: 'three', weight: 0.3 },
      { text: 'fourth', weight: 0.3 },
      { text: 'two', weight: 0.2 },
      { text: 'third', weight: 0.2 },
      { text: 'second', weight: 0.1 },
    ])
  })

  test('uses the end of long messages', () => {
    const long = `${'x'.repeat(20_000)} end`
    const lengths = buildQuery([createUserMessage(long), createAgentMessage(long), createUserMessage(long)]).map(
      ({ text }) => text.length,
    )
    expect(lengths).toEqual([12_000, 300, 1000])
    for (const { text } of buildQuery([createUserMessage(long), createAgentMessage(long), createUserMessage(long)]))
      expect(text).toMatch(/ end$/)
  })

  test('omits tools, records and blank messages', () => {
    const noise: readonly HistoryMessage[] = [
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'check', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: '1', name: 'check', content: 'secret' },
      { role: 'system', content: 'record' },
    ]
    expect(
      buildQuery([createUserMessage('Before'), ...noise, createUserMessage('And?')]).map(({ text }) => text),
    ).toEqual(['And?', 'Before'])
    expect(buildQuery([createAgentMessage('Hello.')])).toEqual([])
    expect(buildQuery([createUserMessage('   ')])).toEqual([])
  })

  test('stays short for any conversation', () => {
    const message = fc.oneof(
      fc.string().map(createUserMessage),
      fc.string({ unit: 'grapheme', minLength: 900 }).map(createAgentMessage),
    )
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (history) => {
        const query = buildQuery([...history, createUserMessage('Why?')])
        expect(query[0]).toEqual({ text: 'Why?', weight: 1 })
        expect(query.length).toBeLessThanOrEqual(6)
        for (const { text, weight } of query.slice(1)) {
          expect(weight > 0 && weight <= 0.3 && text.trim() !== '' && text.length <= 1000).toBe(true)
        }
      }),
    )
  })
})
