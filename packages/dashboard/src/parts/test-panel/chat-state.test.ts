import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamEvent } from '../../lib/api/events.ts'
import { applyEvent, hasEnded, rejectTurn, retryTurn, startTurn, type TurnState } from './chat-state.ts'

const START: TurnState = startTurn({ key: 'key', content: 'Hello' }, 0)

const createMessage = (id: string, fields: object): object => ({
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

/** A model message with optional tool calls. */
interface Step {
  readonly chunks: readonly string[]
  readonly restartsAfter: number | null
  readonly tools: readonly { readonly arguments: string; readonly result: string; readonly successful: boolean }[]
}

const arbitraryStep: fc.Arbitrary<Step> = fc.record({
  chunks: fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 5 }),
  restartsAfter: fc.option(fc.nat(4), { nil: null }),
  tools: fc.array(fc.record({ arguments: fc.json(), result: fc.string(), successful: fc.boolean() }), { maxLength: 2 }),
})

/** Builds the streamed events of a turn and the stored messages. */
function buildStream(steps: readonly Step[]): { readonly events: StreamEvent[]; readonly storedMessages: object[] } {
  const events: StreamEvent[] = []
  const storedMessages: object[] = []
  const addEvent = (name: string, data: unknown): void =>
    void events.push({ id: String(events.length + 1), name, data })
  const storeMessage = (message: object): void => {
    storedMessages.push(message)
    addEvent('message.completed', { message })
  }
  addEvent('turn.started', { turn_id: 'turn_1' })
  for (const [index, { chunks, restartsAfter, tools }] of steps.entries()) {
    const streamText = (text: string): void => addEvent('message.delta', { text })
    if (restartsAfter !== null) {
      chunks.slice(0, restartsAfter).forEach(streamText)
      addEvent('message.restarted', {})
    }
    chunks.forEach(streamText)
    const calls = tools.map((tool, number) => ({ ...tool, id: `call_${index}_${number}` }))
    const toolCalls = calls.map(({ id, arguments: argumentsText }) => ({
      id,
      type: 'function',
      function: { name: 'look_up', arguments: argumentsText },
    }))
    if (chunks.length === 0 && calls.length === 0) continue
    storeMessage(createMessage(`message_${index}`, { content: chunks.join(''), tool_calls: toolCalls }))
    for (const call of calls) {
      const toolFields = { tool_call_id: call.id, name: 'look_up' }
      addEvent('tool.call', { ...toolFields, arguments: call.arguments })
      addEvent('tool.result', { ...toolFields, content: call.result, successful: call.successful })
      storeMessage(
        createMessage(`result_${call.id}`, {
          role: 'tool',
          name: 'look_up',
          content: call.result,
          tool_call_id: call.id,
        }),
      )
    }
  }
  addEvent('done', { turn_id: 'turn_1', status: 'completed' })
  return { events, storedMessages }
}

const applyEvents = (turn: TurnState, events: readonly StreamEvent[]): TurnState =>
  events.reduce((current, event) => applyEvent(current, event, 100), turn)

/** Replays a turn from the stored messages. The last event keeps its ID. */
function replayTurn({ events, storedMessages }: ReturnType<typeof buildStream>): StreamEvent[] {
  const stream = [
    { name: 'turn.started', data: { turn_id: 'turn_1' } },
    ...storedMessages.map((message) => ({ name: 'message.completed', data: { message } })),
    { name: 'done', data: { turn_id: 'turn_1', status: 'completed' } },
  ]
  return stream.map((event, index) => ({ ...event, id: String(events.length - stream.length + index + 1) }))
}

const removeSuccess = (turn: TurnState): unknown =>
  turn.parts.map((part) => (part.kind === 'tool' ? { ...part, isSuccessful: null } : part))

describe('a turn received over several connections', () => {
  test('equals a turn received at once, even with repeated events', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryStep, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat())),
        (steps, connections) => {
          const { events } = buildStream(steps)
          let turn = START
          let position = 0
          // Each connection delivers some events, and the next connection may repeat them.
          for (const [length, overlap] of connections) {
            const from = Math.max(0, position - (overlap % 4))
            const to = Math.min(events.length, from + (length % 6))
            turn = applyEvents(turn, events.slice(from, to))
            position = Math.max(position, to)
          }
          turn = applyEvents(turn, events.slice(position))
          expect(turn).toEqual(applyEvents(START, events))
        },
      ),
    )
  })

  test('is complete and has no duplicates after a replay from stored messages', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { minLength: 1, maxLength: 4 }), fc.nat(), (steps, cut) => {
        const stream = buildStream(steps)
        const partialTurn = applyEvents(START, stream.events.slice(0, cut % stream.events.length))
        const remainingEvents = replayTurn(stream).filter(({ id }) => Number(id) > partialTurn.lastEventId)
        expect(removeSuccess(applyEvents(partialTurn, remainingEvents))).toEqual(
          removeSuccess(applyEvents(START, stream.events)),
        )
      }),
    )
  })

  test('contains the reply once and in order', () => {
    fc.assert(
      fc.property(fc.array(arbitraryStep, { minLength: 1, maxLength: 4 }), (steps) => {
        const { parts, status } = applyEvents(START, buildStream(steps).events)
        const messageTexts = parts.flatMap((part) => (part.kind === 'message' ? [part.text] : []))
        const toolResults = parts.flatMap((part) => (part.kind === 'tool' ? [part.result] : []))
        expect(messageTexts).toEqual(steps.map(({ chunks }) => chunks.join('')).filter((text) => text !== ''))
        expect(toolResults).toEqual(steps.flatMap(({ tools }) => tools.map(({ result }) => result)))
        expect(status).toBe('completed')
      }),
    )
  })
})

describe('a turn', () => {
  const started: StreamEvent = { id: '1', name: 'turn.started', data: { turn_id: 'turn_1' } }

  test('measures the time to the first word and to the whole reply', () => {
    const events = [started, { id: '2', name: 'message.delta', data: { text: 'Hi' } }]
    const runningTurn = events.reduce((turn, event) => applyEvent(turn, event, 320), START)
    const finishedTurn = applyEvent(
      runningTurn,
      { id: '3', name: 'done', data: { turn_id: 'turn_1', status: 'completed' } },
      900,
    )
    expect(finishedTurn).toMatchObject({ firstWordMs: 320, totalMs: 900 })
  })

  test('marks a failed reply as incomplete and restarts under a new turn ID', () => {
    const failedTurn = applyEvents(START, [
      started,
      { id: '2', name: 'message.delta', data: { text: 'I think' } },
      { id: '3', name: 'error', data: { code: 'provider_error', error: 'The model stopped responding.' } },
      { id: '4', name: 'done', data: { turn_id: 'turn_1', status: 'failed' } },
    ])
    expect(failedTurn).toMatchObject({ status: 'failed', failure: 'The model stopped responding.' })
    expect(hasEnded(failedTurn)).toBe(true)
    const retriedTurn = applyEvents(retryTurn(failedTurn, 50), [
      { id: '1', name: 'turn.started', data: { turn_id: 'turn_2' } },
      { id: '2', name: 'message.delta', data: { text: 'Ten o’clock.' } },
    ])
    expect(retriedTurn.failure).toBeNull()
    expect(retriedTurn.parts).toEqual([
      { kind: 'message', messageId: null, text: 'I think', isIncomplete: true },
      { kind: 'message', messageId: null, text: 'Ten o’clock.', isIncomplete: false },
    ])
  })

  test('that was lost in transit is replayed from the start', () => {
    const events = buildStream([{ chunks: ['Good ', 'morning'], restartsAfter: null, tools: [] }]).events
    const lostTurn = rejectTurn(applyEvents(START, events.slice(0, 2)))
    expect(lostTurn.status).toBe('rejected')
    expect(applyEvents(retryTurn(lostTurn, 0), events).parts).toEqual(applyEvents(START, events).parts)
  })
})
