import type { ChatMessage } from '@parley/contract/chat-message'
import type { TurnStreamEvent } from '@parley/contract/events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shownText } from './cluster-test-kit.ts'
import { catchUp, endRetelling, type Retelling, readTold, retell } from './replay.ts'

const toFrames = (events: readonly TurnStreamEvent[]) =>
  events.map(({ event, data }, index) => ({ id: index + 1, event, data: JSON.stringify(data) }))
const delta = (text: string): TurnStreamEvent => ({ event: 'message.delta', data: { text } })

/** What readers are told when the words come one after the other. */
function tellAnew(told: string, words: readonly string[]): TurnStreamEvent[] {
  const events: TurnStreamEvent[] = []
  let retelling: Retelling | null = { told, said: '' }
  for (const text of words) {
    if (retelling === null) {
      events.push(delta(text))
      continue
    }
    const retold = retell(retelling, text)
    events.push(...retold.events)
    retelling = retold.retelling
  }
  if (retelling !== null) events.push(...endRetelling(retelling))
  return events
}

/** Few letters, so that texts often agree for a while. */
const someText = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
const someWords = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\ud83d', '\ude00'), maxLength: 4 }))

describe('a message that is said anew', () => {
  test('is shown as it is said now, whatever was told before', () => {
    fc.assert(
      fc.property(someText, someWords, (told, words) => {
        const shown = shownText(toFrames([delta(told), ...tellAnew(told, words)]))
        expect(shown.join('')).toBe(words.join(''))
      }),
    )
  })

  test('is not restarted, and nothing told twice, while it says the same', () => {
    fc.assert(
      fc.property(someWords, fc.nat(), (words, cut) => {
        const text = words.join('')
        const told = text.slice(0, cut % (text.length + 1))
        const events = tellAnew(told, words)
        expect(events.every(({ event }) => event === 'message.delta')).toBe(true)
        expect(events.map((event) => (event.event === 'message.delta' ? event.data.text : '')).join('')).toBe(
          text.slice(told.length),
        )
      }),
    )
  })

  test('restarts once, at the first difference', () => {
    expect(tellAnew('One two', ['One ', 'three', ' four'])).toEqual([
      { event: 'message.restarted', data: {} },
      delta('One three'),
      delta(' four'),
    ])
    expect(tellAnew('One two', ['One'])).toEqual([{ event: 'message.restarted', data: {} }, delta('One')])
    expect(tellAnew('One two', [])).toEqual([{ event: 'message.restarted', data: {} }])
  })
})

describe('messages that were stored and not told', () => {
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

  test('are told with what is missing of their words', () => {
    const told = readTold(toFrames([{ event: 'turn.started', data: { turn_id: 'turn_1' } }, delta('One mo')]))
    expect(catchUp(told, [asking, result])).toEqual({
      text: '',
      events: [
        delta('ment.'),
        { event: 'tool.call', data: { tool_call_id: call.id, name: 'find', arguments: '{}' } },
        { event: 'message.completed', data: { message: asking } },
        { event: 'message.completed', data: { message: result } },
      ],
    })
  })

  test('are not told again, and words of the next message stay open', () => {
    const told = readTold(
      toFrames([
        delta('One moment.'),
        { event: 'tool.call', data: { tool_call_id: call.id, name: 'find', arguments: '{}' } },
        { event: 'message.completed', data: { message: asking } },
        { event: 'message.completed', data: { message: result } },
        delta('I fou'),
      ]),
    )
    expect(catchUp(told, [asking, result])).toEqual({ events: [], text: 'I fou' })
  })
})
