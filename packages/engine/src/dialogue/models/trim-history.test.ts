import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryMessage } from '../conversation.ts'
import { toModelMessages } from './model-messages.ts'
import { computeHistoryBudget, trimHistory } from './trim-history.ts'

const createUserMessage = (content: string): HistoryMessage => ({ role: 'user', content })
const createAgentMessage = (content: string): HistoryMessage => ({ role: 'assistant', content, toolCalls: [] })

const text = fc.string({ maxLength: 40 })
const reply: fc.Arbitrary<HistoryMessage[]> = fc.oneof(
  text.map((content) => [createAgentMessage(content)]),
  fc
    .tuple(text, fc.integer())
    .map(([content, number]): HistoryMessage[] => [
      { role: 'assistant', content, toolCalls: [{ id: `id_${number}`, name: 'look', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: `id_${number}`, name: 'look', content },
      createAgentMessage(content),
    ]),
)
const history = fc
  .tuple(fc.option(text.map(createAgentMessage)), fc.array(fc.tuple(text, reply), { maxLength: 12 }))
  .map(([opening, turns]) => [
    ...(opening === null ? [] : [opening]),
    ...turns.flatMap(([words, rest]) => [createUserMessage(words), ...rest]),
  ])

describe('trimHistory', () => {
  test('keeps a suffix of whole turns, always the newest', () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 800 }), (messages, budget) => {
        const trimmed = trimHistory(messages, budget)
        expect(trimmed.messages).toEqual(messages.slice(messages.length - trimmed.messages.length))
        if (messages.length === 0) return
        expect(trimmed.messages.length).toBeGreaterThan(0)
        if (trimmed.droppedTurns === 0) {
          expect(trimmed.messages).toBe(messages)
          return
        }
        expect(trimmed.messages[0]?.role).toBe('user')
        const newest = messages.findLastIndex((message) => message.role === 'user')
        expect(trimmed.messages.length).toBeGreaterThanOrEqual(messages.length - newest)
        const calls = new Set(
          trimmed.messages.flatMap((message) =>
            message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
          ),
        )
        for (const message of trimmed.messages) if (message.role === 'tool') expect(calls).toContain(message.toolCallId)
      }),
    )
  })

  test('counts dropped turns, including the opening', () => {
    const messages = [
      createAgentMessage('opening'),
      createUserMessage('a'),
      createAgentMessage('b'),
      createUserMessage('c'),
    ]
    expect(trimHistory(messages, 0)).toEqual({ messages: [createUserMessage('c')], droppedTurns: 2 })
    expect(trimHistory(messages, 10_000).messages).toBe(messages)
  })

  test('reserves room for the answer and is never negative', () => {
    expect(computeHistoryBudget(undefined, 0)).toBe((128_000 - 4_096) * 4)
    expect(computeHistoryBudget(1_000, 0)).toBe(3_000)
    expect(computeHistoryBudget(1_000, 9_999)).toBe(0)
  })
})

describe('toModelMessages', () => {
  const createCall = (id: string) => ({ id, name: 'look', argumentsText: '{}' })

  test('gives every call exactly one result and drops results without calls', () => {
    const messages = toModelMessages(
      [{ role: 'system', content: 'prompt' }],
      [
        { role: 'tool', toolCallId: 'stray', name: 'look', content: 'x' },
        { role: 'assistant', content: '', toolCalls: [createCall('1'), createCall('2')] },
        { role: 'tool', toolCallId: '2', name: 'look', content: 'two' },
        { role: 'tool', toolCallId: '2', name: 'look', content: 'again' },
        createUserMessage('next'),
      ],
    )
    expect(messages.map((message) => (message.role === 'tool' ? `${message.toolCallId}` : message.role))).toEqual([
      'system',
      'assistant',
      '2',
      '1',
      'user',
    ])
    expect(messages[3]).toMatchObject({ content: expect.stringContaining('outcome unknown') })
  })

  test('keeps the position of system messages', () => {
    const messages = toModelMessages(
      [{ role: 'system', content: 'prompt' }],
      [createUserMessage('a'), { role: 'system', content: 'note' }, createUserMessage('b')],
    )
    expect(messages.map((message) => message.content)).toEqual(['prompt', 'a', 'note', 'b'])
  })
})
