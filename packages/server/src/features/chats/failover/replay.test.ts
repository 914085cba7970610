import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStreamEvent } from '@parley/contract/events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderMessages } from './cluster-test-kit.ts'
import { buildMissedEvents, endReplay, parsePublishedEvents, type Replay, replayText } from './replay.ts'

const toFrames = (events: readonly TurnStreamEvent[]) =>
  events.map(({ event, data }, index) => ({ id: index + 1, event, data: JSON.stringify(data) }))
const toDelta = (text: string): TurnStreamEvent => ({ event: 'message.delta', data: { text } })

/** Returns the events that are published when the model generates the words in sequence. */
function replayWords(published: string, words: readonly string[]): TurnStreamEvent[] {
  const events: TurnStreamEvent[] = []
  let currentReplay: Replay | null = { published, repeated: '' }
  for (const word of words) {
    if (currentReplay === null) {
      events.push(toDelta(word))
      continue
    }
    const step = replayText(currentReplay, word)
    events.push(...step.events)
    currentReplay = step.replay
  }
  if (currentReplay !== null) events.push(...endReplay(currentReplay))
  return events
}

/** The alphabet is small, so that texts often share a prefix. */
const textArbitrary = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
const wordLists = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\ude00'), maxLength: 4 }))

describe('a message that is generated again', () => {
  test('ends with the new text, whatever was published before', () => {
    fc.assert(
      fc.property(textArbitrary, wordLists, (published, words) => {
        const displayedTexts = renderMessages(toFrames([toDelta(published), ...replayWords(published, words)]))
        expect(displayedTexts.join('')).toBe(words.join(''))
      }),
    )
  })

  test('sends no text twice and does not restart while the text is the same', () => {
    fc.assert(
      fc.property(wordLists, fc.nat(), (words, lengthSeed) => {
        const text = words.join('')
        const published = text.slice(0, lengthSeed % (text.length + 1))
        const events = replayWords(published, words)
        expect(events.every(({ event }) => event === 'message.delta')).toBe(true)
        expect(events.map((event) => (event.event === 'message.delta' ? event.data.text : '')).join('')).toBe(
          text.slice(published.length),
        )
      }),
    )
  })

  test('restarts once, at the first difference', () => {
    expect(replayWords('One two', ['One ', 'three', ' four'])).toEqual([
      { event: 'message.restarted', data: {} },
      toDelta('One three'),
      toDelta(' four'),
    ])
    expect(replayWords('One two', ['One'])).toEqual([{ event: 'message.restarted', data: {} }, toDelta('One')])
    expect(replayWords('One two', [])).toEqual([{ event: 'message.restarted', data: {} }])
  })
})

describe('messages stored but not published', () => {
  const toMessage = (fields: Partial<ChatMessage>): ChatMessage => ({
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
  const toolCall = { id: 'tool_call_1', type: 'function' as const, function: { name: 'find', arguments: '{}' } }
  const request = toMessage({ content: 'One moment.', tool_calls: [toolCall] })
  const result = toMessage({ message_id: 'message_2', role: 'tool', content: 'found', tool_call_id: toolCall.id })

  test('are published with their missing text', () => {
    const published = parsePublishedEvents(
      toFrames([{ event: 'turn.started', data: { turn_id: 'turn_1' } }, toDelta('One mo')]),
    )
    expect(buildMissedEvents(published, [request, result])).toEqual({
      text: '',
      events: [
        toDelta('ment.'),
        { event: 'tool.call', data: { tool_call_id: toolCall.id, name: 'find', arguments: '{}' } },
        { event: 'message.completed', data: { message: request } },
        { event: 'message.completed', data: { message: result } },
      ],
    })
  })

  test('are not published twice, and later text stays pending', () => {
    const published = parsePublishedEvents(
      toFrames([
        toDelta('One moment.'),
        { event: 'tool.call', data: { tool_call_id: toolCall.id, name: 'find', arguments: '{}' } },
        { event: 'message.completed', data: { message: request } },
        { event: 'message.completed', data: { message: result } },
        toDelta('I fou'),
      ]),
    )
    expect(buildMissedEvents(published, [request, result])).toEqual({ events: [], text: 'I fou' })
  })
})
