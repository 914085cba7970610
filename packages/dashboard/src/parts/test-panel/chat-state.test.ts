import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamEvent } from '../../lib/api/events.ts'
import { applyEvent, hasEnded, rejectTurn, retryTurn, startTurn, type TurnState } from './chat-state.ts'

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

/** One model message: words, then optional tool calls. */
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

/** Builds the streamed events of a turn and the stored messages. */
function buildStream(steps: readonly Step[]): { readonly events: StreamEvent[]; readonly stored: object[] } {
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

const applyAll = (turn: TurnState, events: readonly StreamEvent[]): TurnState =>
  events.reduce((received, event) => applyEvent(received, event, 100), turn)

/** Replays a turn from the stored messages. The last event keeps its ID. */
function replay({ events, stored }: ReturnType<typeof buildStream>): StreamEvent[] {
  const stream = [
    { name: 'turn.started', data: { turn_id: 'turn_1' } },
    ...stored.map((each) => ({ name: 'message.completed', data: { message: each } })),
    { name: 'done', data: { turn_id: 'turn_1', status: 'completed' } },
  ]
  return stream.map((event, index) => ({ ...event, id: String(events.length - stream.length + index + 1) }))
}

const removeSuccess = (turn: TurnState): unknown =>
  turn.parts.map((part) => (part.kind === 'tool' ? { ...part, isSuccessful: null } : part))

describe('a turn received in pieces', () => {
  test('equals one received at once, even with repeated events', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat())),
        (steps, cuts) => {
          const { events } = buildStream(steps)
          let received = START
          let place = 0
          // Each connection delivers some events, and the next connection may repeat them.
          for (const [length, overlap] of cuts) {
            const from = Math.max(0, place - (overlap % 4))
            const to = Math.min(events.length, from + (length % 6))
            received = applyAll(received, events.slice(from, to))
            place = Math.max(place, to)
          }
          received = applyAll(received, events.slice(place))
          expect(received).toEqual(applyAll(START, events))
        },
      ),
    )
  })

  test('has nothing missing or doubled when the rest comes from the record', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.nat(), (steps, cut) => {
        const stream = buildStream(steps)
        const before = applyAll(START, stream.events.slice(0, cut % stream.events.length))
        const rest = replay(stream).filter(({ id }) => Number(id) > before.lastEventId)
        expect(removeSuccess(applyAll(before, rest))).toEqual(removeSuccess(applyAll(START, stream.events)))
      }),
    )
  })

  test('contains the answer once and in order', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), (steps) => {
        const { parts, status } = applyAll(START, buildStream(steps).events)
        const said = parts.flatMap((part) => (part.kind === 'message' ? [part.text] : []))
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

  test('measures the first word and the whole answer', () => {
    const events = [started, { id: '2', name: 'message.delta', data: { text: 'Hi' } }]
    const running = events.reduce((turn, event) => applyEvent(turn, event, 320), START)
    const over = applyEvent(running, { id: '3', name: 'done', data: { turn_id: 'turn_1', status: 'completed' } }, 900)
    expect(over).toMatchObject({ firstWordMs: 320, wholeMs: 900 })
  })

  test('marks the words of a failed answer as interrupted, and starts again under a new number', () => {
    const failed = applyAll(START, [
      started,
      { id: '2', name: 'message.delta', data: { text: 'I think' } },
      { id: '3', name: 'error', data: { code: 'provider_error', error: 'The model broke off.' } },
      { id: '4', name: 'done', data: { turn_id: 'turn_1', status: 'failed' } },
    ])
    expect(failed).toMatchObject({ status: 'failed', failure: 'The model broke off.' })
    expect(hasEnded(failed)).toBe(true)
    const again = applyAll(retryTurn(failed, 50), [
      { id: '1', name: 'turn.started', data: { turn_id: 'turn_2' } },
      { id: '2', name: 'message.delta', data: { text: 'Ten o’clock.' } },
    ])
    expect(again.failure).toBeNull()
    expect(again.parts).toEqual([
      { kind: 'message', messageId: null, text: 'I think', isIncomplete: true },
      { kind: 'message', messageId: null, text: 'Ten o’clock.', isIncomplete: false },
    ])
  })

  test('that was lost in transit is replayed from its start', () => {
    const events = buildStream([{ words: ['Good ', 'morning'], restartsAfter: null, tools: [] }]).events
    const lost = rejectTurn(applyAll(START, events.slice(0, 2)))
    expect(lost.status).toBe('refused')
    expect(applyAll(retryTurn(lost, 0), events).parts).toEqual(applyAll(START, events).parts)
  })
})
