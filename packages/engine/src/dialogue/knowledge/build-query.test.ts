import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryMessage } from '../conversation.ts'
import { buildQuery } from './build-query.ts'

const user = (content: string): HistoryMessage => ({ role: 'user', content })
const agent = (content: string): HistoryMessage => ({ role: 'assistant', content, toolCalls: [] })

const before = [user('What does the city bike cost a day?'), agent('It costs 12 euros a day.')]

describe('what is searched for', () => {
  test('is the last question; what stands for itself hardly needs what came before', () => {
    const query = buildQuery([...before, user('When does the workshop in the old town open tomorrow morning?')])
    expect(query[0]).toEqual({ text: 'When does the workshop in the old town open tomorrow morning?', weight: 1 })
    expect(query.slice(1).every(({ weight }) => weight <= 0.2)).toBe(true)
  })

  test.for(['And on Sundays?', 'How long does it take?', 'Why?', 'Und samstags?', 'the red one, please'])(
    '"%s" is read with what it goes on from',
    (text) => {
      const query = buildQuery([...before, user(text)])
      expect(query.map((one) => one.text)).toEqual([
        text,
        'What does the city bike cost a day?',
        'It costs 12 euros a day.',
      ])
      expect(query[1]?.weight).toBe(0.5)
    },
  )

  test('leaves out tools, records and messages without words', () => {
    const noise: readonly HistoryMessage[] = [
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'check', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: '1', name: 'check', content: 'secret' },
      { role: 'system', content: 'record' },
    ]
    expect(buildQuery([...before, ...noise, user('And?')]).map(({ text }) => text)).not.toContain('secret')
    expect(buildQuery([agent('Hello.')])).toEqual([])
    expect(buildQuery([user('   ')])).toEqual([])
  })

  test('stays short and puts the last words first, whatever was said', () => {
    const message = fc.oneof(fc.string().map(user), fc.string({ unit: 'grapheme', minLength: 900 }).map(agent))
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.string({ minLength: 1, maxLength: 3000 }),
        (history, text) => {
          const query = buildQuery([...history, user(`${text}?`)])
          expect(query[0]).toEqual({ text: `${text}?`.slice(-1000), weight: 1 })
          expect(query.length).toBeLessThanOrEqual(4)
          for (const one of query) {
            expect(one.weight > 0 && one.weight <= 1 && one.text.length <= 1000).toBe(true)
          }
        },
      ),
    )
  })
})
