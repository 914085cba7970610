import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStreamEvent } from '@parley/contract/events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderMessages } from './cluster-test-kit.ts'
import { endReplay, publishMissed, type Replay, readPublished, replayText } from './replay.ts'

const toFrames = (events: readonly TurnStreamEvent[]) =>
  events.map(({ event, data }, index) => ({ id: index + 1, event, data: JSON.stringify(data) }))
const delta = (text: string): TurnStreamEvent => ({ event: 'message.delta', data: { text } })

/** Returns the events published for the words in sequence. */
function replay(published: string, words: readonly string[]): TurnStreamEvent[] {
  const events: TurnStreamEvent[] = []
  let open: Replay | null = { published, repeated: '' }
  for (const text of words) {
    if (open === null) {
      events.push(delta(text))
      continue
    }
    const step = replayText(open, text)
    events.push(...step.events)
    open = step.replay
  }
  if (open !== null) events.push(...endReplay(open))
  return events
}

/** The alphabet is small, so that texts often share a prefix. */
const textArbitrary = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
const someWords = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\ude00'), maxLength: 4 }))

describe('a message that is generated again', () => {
  test('ends with the new text, whatever was published before', () => {
    fc.assert(
      fc.property(textArbitrary, someWords, (published, words) => {
        const shown = renderMessages(toFrames([delta(published), ...replay(published, words)]))
        expect(shown.join('')).toBe(words.join(''))
      }),
    )
  })

  test('sends nothing twice and does not restart while the text is equal', () => {
    fc.assert(
      fc.property(someWords, fc.nat(), (words, cut) => {
        const text = words.join('')
        const published = text.slice(0, cut % (text.length + 1))
        const events = replay(published, words)
        expect(events.every(({ event }) => event === 'message.delta')).toBe(true)
        expect(events.map((event) => (event.event === 'message.delta' ? event.data.text : '')).join('')).toBe(
          text.slice(published.length),
        )
      }),
    )
  })

  test('restarts once, at the first difference', () => {
    expect(replay('One two', ['One ', 'three', ' four'])).toEqual([
      { event: 'message.restarted', data: {} },
      delta('One three'),
      delta(' four'),
    ])
    expect(replay('One two', ['One'])).toEqual([{ event: 'message.restarted', data: {} }, delta('One')])
    expect(replay('One two', [])).toEqual([{ event: 'message.restarted', data: {} }])
  })
})

describe('messages stored but not published', () => {
  const message = (fields: Partial<ChatMessage>): ChatMessage => ({
    message_id: 'message_1',
    role: 'assistant',
    content: '',
    name: '',
    tool_calls: [],
    tool_call_id: null,
    turn_id: 'turn_1',
    incomplete: false,
    created_at: '2026-01-05T12:00:00.000Z',
    ...fields,
  })
  const call = { id: 'tool_call_1', type: 'function' as const, function: { name: 'find', arguments: '{}' } }
  const asking = message({ content: 'One moment.', tool_calls: [call] })
  const result = message({ message_id: 'message_2', role: 'tool', content: 'found', tool_call_id: call.id })

  test('are published with their missing words', () => {
    const published = readPublished(toFrames([{ event: 'turn.started', data: { turn_id: 'turn_1' } }, delta('One mo')]))
    expect(publishMissed(published, [asking, result])).toEqual({
      text: '',
      events: [
        delta('ment.'),
        { event: 'tool.call', data: { tool_call_id: call.id, name: 'find', arguments: '{}' } },
        { event: 'message.completed', data: { message: asking } },
        { event: 'message.completed', data: { message: result } },
      ],
    })
  })

  test('are not published twice, and later words stay open', () => {
    const published = readPublished(
      toFrames([
        delta('One moment.'),
        { event: 'tool.call', data: { tool_call_id: call.id, name: 'find', arguments: '{}' } },
        { event: 'message.completed', data: { message: asking } },
        { event: 'message.completed', data: { message: result } },
        delta('I fou'),
      ]),
    )
    expect(publishMissed(published, [asking, result])).toEqual({ events: [], text: 'I fou' })
  })
})
