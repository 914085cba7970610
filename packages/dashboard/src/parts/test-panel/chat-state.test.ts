import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamEvent } from '../../lib/api/events.ts'
import { applyEvent, hasEnded, refuseTurn, retryTurn, startTurn, type TurnState } from './chat-state.ts'

const START: TurnState = startTurn({ key: 'key', content: 'Hello' }, 0)

const message = (id: string, fields: object): object => ({
  message_id: id,
  turn_id: 'turn_1',
  role: 'assistant',
  content: '',
  name: '',
  tool_calls: [],
  tool_call_id: null,
  incomplete: false,
  created_at: '2026-11-20T12:00:00.000Z',
  ...fields,
})

/** What a model does in one message: words, then perhaps tools. */
interface Step {
  readonly words: readonly string[]
  readonly restartsAfter: number | null
  readonly tools: readonly { readonly arguments: string; readonly answer: string; readonly successful: boolean }[]
}

const step: fc.Arbitrary<Step> = fc.record({
  words: fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 5 }),
  restartsAfter: fc.option(fc.nat(4), { nil: null }),
  tools: fc.array(fc.record({ arguments: fc.json(), answer: fc.string(), successful: fc.boolean() }), { maxLength: 2 }),
})

/** The events of a turn as they are streamed, and its messages as they are stored. */
function tell(steps: readonly Step[]): { readonly events: StreamEvent[]; readonly stored: object[] } {
  const events: StreamEvent[] = []
  const stored: object[] = []
  const add = (name: string, data: unknown): void => void events.push({ id: String(events.length + 1), name, data })
  const store = (stores: object): void => {
    stored.push(stores)
    add('message.completed', { message: stores })
  }
  add('turn.started', { turn_id: 'turn_1' })
  for (const [index, { words, restartsAfter, tools }] of steps.entries()) {
    const say = (text: string): void => add('message.delta', { text })
    if (restartsAfter !== null) {
      words.slice(0, restartsAfter).forEach(say)
      add('message.restarted', {})
    }
    words.forEach(say)
    const calls = tools.map((tool, number) => ({ ...tool, id: `call_${index}_${number}` }))
    const toolCalls = calls.map(({ id, arguments: given }) => ({
      id,
      type: 'function',
      function: { name: 'look_up', arguments: given },
    }))
    if (words.length === 0 && calls.length === 0) continue
    store(message(`message_${index}`, { content: words.join(''), tool_calls: toolCalls }))
    for (const call of calls) {
      const about = { tool_call_id: call.id, name: 'look_up' }
      add('tool.call', { ...about, arguments: call.arguments })
      add('tool.result', { ...about, content: call.answer, successful: call.successful })
      store(
        message(`answer_${call.id}`, { role: 'tool', name: 'look_up', content: call.answer, tool_call_id: call.id }),
      )
    }
  }
  add('done', { turn_id: 'turn_1', status: 'completed' })
  return { events, stored }
}

const hearAll = (turn: TurnState, events: readonly StreamEvent[]): TurnState =>
  events.reduce((heard, event) => applyEvent(heard, event, 100), turn)

/** The same turn told from the record: whole messages, numbered so that the last event has the number that it had. */
function retell({ events, stored }: ReturnType<typeof tell>): StreamEvent[] {
  const told = [
    { name: 'turn.started', data: { turn_id: 'turn_1' } },
    ...stored.map((each) => ({ name: 'message.completed', data: { message: each } })),
    { name: 'done', data: { turn_id: 'turn_1', status: 'completed' } },
  ]
  return told.map((event, index) => ({ ...event, id: String(events.length - told.length + index + 1) }))
}

const withoutSuccess = (turn: TurnState): unknown =>
  turn.parts.map((part) => (part.kind === 'tool' ? { ...part, isSuccessful: null } : part))

describe('a turn that is heard in pieces', () => {
  test('is the same as one that is heard at once, whatever is told twice', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat())),
        (steps, cuts) => {
          const { events } = tell(steps)
          let heard = START
          let place = 0
          // Each connection tells some events and is cut; the next one begins where it was cut, or before that.
          for (const [length, overlap] of cuts) {
            const from = Math.max(0, place - (overlap % 4))
            const to = Math.min(events.length, from + (length % 6))
            heard = hearAll(heard, events.slice(from, to))
            place = Math.max(place, to)
          }
          heard = hearAll(heard, events.slice(place))
          expect(heard).toEqual(hearAll(START, events))
        },
      ),
    )
  })

  test('loses and doubles nothing when the rest is told from the record', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.nat(), (steps, cut) => {
        const told = tell(steps)
        const before = hearAll(START, told.events.slice(0, cut % told.events.length))
        const rest = retell(told).filter(({ id }) => Number(id) > before.lastEventId)
        expect(withoutSuccess(hearAll(before, rest))).toEqual(withoutSuccess(hearAll(START, told.events)))
      }),
    )
  })

  test('says what the model said, once and in its order', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
        const { parts, status } = hearAll(START, tell(steps).events)
        const said = parts.flatMap((part) => (part.kind === 'said' ? [part.text] : []))
        const answers = parts.flatMap((part) => (part.kind === 'tool' ? [part.result] : []))
        expect(said).toEqual(steps.map(({ words }) => words.join('')).filter((text) => text !== ''))
        expect(answers).toEqual(steps.flatMap(({ tools }) => tools.map(({ answer }) => answer)))
        expect(status).toBe('completed')
      }),
    )
  })
})

describe('a turn', () => {
  const started: StreamEvent = { id: '1', name: 'turn.started', data: { turn_id: 'turn_1' } }

  test('tells how long the first word and the whole answer took', () => {
    const events = [started, { id: '2', name: 'message.delta', data: { text: 'Hi' } }]
    const begun = events.reduce((turn, event) => applyEvent(turn, event, 320), START)
    const over = applyEvent(begun, { id: '3', name: 'done', data: { turn_id: 'turn_1', status: 'completed' } }, 900)
    expect(over).toMatchObject({ firstWordMs: 320, wholeMs: 900 })
  })

  test('keeps the words of a failure as broken off, and begins anew under another number', () => {
    const failed = hearAll(START, [
      started,
      { id: '2', name: 'message.delta', data: { text: 'I think' } },
      { id: '3', name: 'error', data: { code: 'provider_error', error: 'The model broke off.' } },
      { id: '4', name: 'done', data: { turn_id: 'turn_1', status: 'failed' } },
    ])
    expect(failed).toMatchObject({ status: 'failed', failure: 'The model broke off.' })
    expect(hasEnded(failed)).toBe(true)
    const again = hearAll(retryTurn(failed, 50), [
      { id: '1', name: 'turn.started', data: { turn_id: 'turn_2' } },
      { id: '2', name: 'message.delta', data: { text: 'Ten o’clock.' } },
    ])
    expect(again.failure).toBeNull()
    expect(again.parts).toEqual([
      { kind: 'said', messageId: null, text: 'I think', isIncomplete: true },
      { kind: 'said', messageId: null, text: 'Ten o’clock.', isIncomplete: false },
    ])
  })

  test('that was lost on the way is told anew from its beginning', () => {
    const events = tell([{ words: ['Good ', 'morning'], restartsAfter: null, tools: [] }]).events
    const lost = refuseTurn(hearAll(START, events.slice(0, 2)))
    expect(lost.status).toBe('refused')
    expect(hearAll(retryTurn(lost, 0), events).parts).toEqual(hearAll(START, events).parts)
  })
})
