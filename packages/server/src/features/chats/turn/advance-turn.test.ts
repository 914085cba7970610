import type { DialogueEvent } from '@parley/engine/dialogue/conversation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import type { MessageRow } from '../../../tables/chat-tables.ts'
import { advanceTurn, INITIAL_STATE } from './advance-turn.ts'
import { createEmptyAnswer } from './answer.ts'
import type { TurnEffect, TurnEvent, TurnState } from './turn-state.ts'
import { toMessageRow } from './turn-writes.ts'

const before = { engine: { kind: 'llm', id: 'llm_1', version: 1 }, state: null } as const
const STATE = { schema: 1, engine: before.engine, collectedVariables: { name: 'Ada' } } as const
const answer = createEmptyAnswer({ baseline: before, startedAtMs: 1000, position: 1 })
const call = { id: 'tool_call_1', name: 'find', argumentsText: '{}' }

const toDelta = (text: string): DialogueEvent => ({ type: 'text-delta', text })
const toEnd = (content: string, incomplete = false, toolCalls = [] as (typeof call)[]): DialogueEvent => {
  return { type: 'message-end', content, toolCalls, incomplete }
}
const COMPLETED: DialogueEvent = { type: 'turn-end', outcome: 'completed', state: STATE }

/** Applies the events, stores messages immediately and collects the effects. */
function perform(events: readonly TurnEvent[]) {
  let state: TurnState = INITIAL_STATE
  const effects: TurnEffect[] = []
  const rows: MessageRow[] = []
  const location = { chatId: 'chat_1', turnId: 'turn_1', position: 0, now: 1000 }
  const storePending = (): readonly MessageRow[] => {
    if (state.phase !== 'answering' && state.phase !== 'storing') return []
    const newRows = state.answer.pendingMessages.map((message, index) => {
      return toMessageRow(location, { ...message, message_id: `message_${rows.length + index}` }, index)
    })
    rows.push(...newRows)
    return newRows
  }
  const applyEvent = (event: TurnEvent): void => {
    const advanced = advanceTurn(state, event)
    state = advanced.state
    for (const effect of advanced.effects) {
      effects.push(effect)
      if (effect.type === 'commit') applyEvent({ type: 'committed', rows: storePending() })
      if (effect.type === 'store-end') applyEvent({ type: 'stored', rows: storePending() })
    }
  }
  for (const event of events) applyEvent(event)
  const published = effects.flatMap((effect) => (effect.type === 'publish' ? effect.events : []))
  return { getState: (): TurnState => state, effects, published, rows }
}

const toEvents = (...events: readonly DialogueEvent[]): TurnEvent[] =>
  events.map((event) => ({ type: 'engine', event, nowMs: 1200 }))
const start: TurnEvent = { type: 'start', turnId: 'turn_1', answer }
const startedEvent: TurnEvent = { type: 'started' }

describe('a turn', () => {
  test('publishes text immediately and messages after they are stored', () => {
    const endedEvent: TurnEvent = { type: 'engine-ended' }
    const turn = perform([
      start,
      startedEvent,
      ...toEvents(toDelta('One '), toDelta('two.'), toEnd('One two.'), COMPLETED),
      endedEvent,
    ])
    expect(turn.published.map(({ event }) => event)).toEqual([
      'turn.started',
      'message.delta',
      'message.delta',
      'message.completed',
    ])
    const state = turn.getState()
    expect(state).toMatchObject({ phase: 'ended', firstTextMs: 200, outcome: { status: 'completed', failure: null } })
  })

  test('stores a message with tool calls before publishing the calls', () => {
    const turn = perform([start, startedEvent, ...toEvents(toEnd('', false, [call]))])
    expect(turn.effects.map(({ type }) => type).slice(2)).toEqual(['commit', 'publish'])
    expect(turn.published.slice(1).map(({ event }) => event)).toEqual(['tool.call', 'message.completed'])
  })

  test('keeps its text as an incomplete message when canceled', () => {
    const stop: TurnEvent = { type: 'stop', reason: 'cancelled' }
    const turn = perform([
      start,
      startedEvent,
      ...toEvents(toDelta('One ')),
      stop,
      ...toEvents(toEnd('One ', true)),
      { type: 'engine-ended' },
    ])
    expect(turn.rows).toMatchObject([{ content: 'One ', incomplete: 1 }])
    expect(turn.getState()).toMatchObject({ phase: 'ended', outcome: { status: 'cancelled' } })
  })

  test('drops its attempt and waits again when another turn started first', () => {
    const rejected: TurnEvent = { type: 'start-rejected' }
    const turn = perform([start, ...toEvents(toDelta('One ')), rejected, ...toEvents(toEnd('One '))])
    expect(turn.getState()).toEqual({ phase: 'queued', place: null, stopReason: null })
    expect(turn.effects.map(({ type }) => type).slice(-3)).toEqual(['stop-model', 'drop-hidden-events', 'renew-signal'])
    expect(turn.rows).toEqual([])
  })

  test('stays interrupted after a process stop, regardless of later stops', () => {
    const reasons = ['cancelled', 'interrupted', 'cancelled'] as const
    const turn = perform(reasons.map((reason) => ({ type: 'stop', reason })))
    expect(turn.getState()).toMatchObject({ stopReason: 'interrupted' })
  })
})

const anyEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.constantFrom<TurnEvent>(
    start,
    startedEvent,
    { type: 'placed', place: 3 },
    { type: 'start-rejected' },
    { type: 'resume', answer: { ...answer, replay: { published: 'One two ', repeated: '' } } },
    { type: 'engine-ended' },
    { type: 'interrupt' },
    { type: 'left-queue' },
    { type: 'moved' },
    { type: 'stop', reason: 'cancelled' },
    { type: 'stop', reason: 'interrupted' },
    { type: 'failed', error: new AppError('unavailable', 'The database cannot be reached.') },
    { type: 'committed', rows: [] },
    { type: 'stored', rows: [] },
  ),
  fc
    .constantFrom(toDelta('One '), toDelta('two '), toEnd('One two '), toEnd('', false, [call]), COMPLETED)
    .map((event): TurnEvent => ({ type: 'engine', event, nowMs: 1200 })),
)

describe('any sequence of events', () => {
  const startedEvents = fc.array(anyEvent, { maxLength: 40 }).map((events) => [start, startedEvent, ...events])
  const anyEvents = fc.oneof(startedEvents, fc.array(anyEvent, { maxLength: 40 }))
  const END_TYPES = ['resolve', 'reject', 'abandon']

  test('ends a turn at most once, without effects after the end', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { effects } = perform(events)
        const end = effects.findIndex(({ type }) => END_TYPES.includes(type))
        expect(effects.slice(end === -1 ? effects.length : end + 1)).toEqual([])
      }),
    )
  })

  test('publishes a message as completed exactly when it is stored, once', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { published, rows } = perform(events)
        const ids = published.flatMap((row) => (row.event === 'message.completed' ? row.data.message.message_id : []))
        expect(ids).toEqual(rows.map(({ message_id }) => message_id))
      }),
    )
  })

  test('changes neither state nor event', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const copy = structuredClone(events.filter(({ type }) => type !== 'failed'))
        perform(events)
        expect(events.filter(({ type }) => type !== 'failed')).toEqual(copy)
      }),
    )
  })
})
