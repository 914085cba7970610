import type { DialogueEvent } from '@parley/engine/dialogue/conversation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import type { MessageRow } from '../../../tables/chat-tables.ts'
import { advanceTurn, QUEUED } from './advance-turn.ts'
import { createEmptyAnswer } from './answer.ts'
import type { TurnEffect, TurnEvent, TurnState } from './turn-state.ts'
import { toRow } from './turn-writes.ts'

const before = { engine: { kind: 'llm', id: 'llm_1', version: 1 }, state: null } as const
const STATE = { schema: 1, engine: before.engine, collectedVariables: { name: 'Ada' } } as const
const answer = createEmptyAnswer({ before, startedAtMs: 1000, position: 1 })
const call = { id: 'tool_call_1', name: 'find', argumentsText: '{}' }

const delta = (text: string): DialogueEvent => ({ type: 'text-delta', text })
const assistantEnds = (content: string, incomplete = false, toolCalls = [] as (typeof call)[]): DialogueEvent => {
  return { type: 'message-end', content, toolCalls, incomplete }
}
const COMPLETED: DialogueEvent = { type: 'turn-end', outcome: 'completed', state: STATE }

/** Creates a performer that stores a turn's effects immediately and collects published events. */
function perform(events: readonly TurnEvent[]) {
  let state: TurnState = QUEUED
  const effects: TurnEffect[] = []
  const rows: MessageRow[] = []
  const place = { chatId: 'chat_1', turnId: 'turn_1', position: 0, now: 1000 }
  const store = (): readonly MessageRow[] => {
    if (state.phase !== 'answering' && state.phase !== 'storing') return []
    const next = state.answer.pending.map((message, index) => {
      return toRow(place, { ...message, message_id: `message_${rows.length + index}` }, index)
    })
    rows.push(...next)
    return next
  }
  const take = (event: TurnEvent): void => {
    const advanced = advanceTurn(state, event)
    state = advanced.state
    for (const effect of advanced.effects) {
      effects.push(effect)
      if (effect.type === 'commit') take({ type: 'committed', rows: store() })
      if (effect.type === 'store-end') take({ type: 'stored', rows: store() })
    }
  }
  for (const event of events) take(event)
  const published = effects.flatMap((effect) => (effect.type === 'publish' ? effect.events : []))
  return { state: (): TurnState => state, effects, published, rows }
}

const engine = (...events: readonly DialogueEvent[]): TurnEvent[] =>
  events.map((event) => ({ type: 'engine', event, nowMs: 1200 }))
const start: TurnEvent = { type: 'start', turnId: 'turn_1', answer }
const started: TurnEvent = { type: 'started' }

describe('a turn', () => {
  test('publishes words immediately and messages after they are stored', () => {
    const ended: TurnEvent = { type: 'engine-ended' }
    const turn = perform([
      start,
      started,
      ...engine(delta('One '), delta('two.'), assistantEnds('One two.'), COMPLETED),
      ended,
    ])
    expect(turn.published.map(({ event }) => event)).toEqual([
      'turn.started',
      'message.delta',
      'message.delta',
      'message.completed',
    ])
    const state = turn.state()
    expect(state).toMatchObject({ phase: 'ended', firstTextMs: 200, outcome: { status: 'completed', failure: null } })
  })

  test('stores a message with tool calls before publishing the calls', () => {
    const turn = perform([start, started, ...engine(assistantEnds('', false, [call]))])
    expect(turn.effects.map(({ type }) => type).slice(2)).toEqual(['commit', 'publish'])
    expect(turn.published.slice(1).map(({ event }) => event)).toEqual(['tool.call', 'message.completed'])
  })

  test('keeps its words as incomplete when cancelled', () => {
    const stop: TurnEvent = { type: 'stop', reason: 'cancelled' }
    const turn = perform([
      start,
      started,
      ...engine(delta('One ')),
      stop,
      ...engine(assistantEnds('One ', true)),
      { type: 'engine-ended' },
    ])
    expect(turn.rows).toMatchObject([{ content: 'One ', incomplete: 1 }])
    expect(turn.state()).toMatchObject({ phase: 'ended', outcome: { status: 'cancelled' } })
  })

  test('drops its attempt and waits again when another turn came first', () => {
    const turn = perform([start, ...engine(delta('One ')), { type: 'start-refused' }, ...engine(assistantEnds('One '))])
    expect(turn.state()).toEqual({ phase: 'queued', place: null, stop: null })
    expect(turn.effects.map(({ type }) => type).slice(-3)).toEqual(['stop-model', 'drop-held-events', 'renew-signal'])
    expect(turn.rows).toEqual([])
  })

  test('stays interrupted after a process stop, whatever else stops it', () => {
    const reasons = ['cancelled', 'interrupted', 'cancelled'] as const
    const turn = perform(reasons.map((reason) => ({ type: 'stop', reason })))
    expect(turn.state()).toMatchObject({ stop: 'interrupted' })
  })
})

const anyEvent: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.constantFrom<TurnEvent>(
    start,
    started,
    { type: 'placed', place: 3 },
    { type: 'start-refused' },
    { type: 'resume', answer: { ...answer, replay: { published: 'One two ', repeated: '' } } },
    { type: 'engine-ended' },
    { type: 'give-up' },
    { type: 'left-queue' },
    { type: 'moved' },
    { type: 'stop', reason: 'cancelled' },
    { type: 'stop', reason: 'interrupted' },
    { type: 'failed', error: new AppError('unavailable', 'The database cannot be reached.') },
    { type: 'committed', rows: [] },
    { type: 'stored', rows: [] },
  ),
  fc
    .constantFrom(delta('One '), delta('two '), assistantEnds('One two '), assistantEnds('', false, [call]), COMPLETED)
    .map((event): TurnEvent => ({ type: 'engine', event, nowMs: 1200 })),
)

describe('any sequence of events', () => {
  const likely = fc.array(anyEvent, { maxLength: 40 }).map((events) => [start, started, ...events])
  const anyEvents = fc.oneof(likely, fc.array(anyEvent, { maxLength: 40 }))
  const ENDS = ['settle', 'reject', 'abandon']

  test('ends a turn at most once, with nothing after the end', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { effects } = perform(events)
        const end = effects.findIndex(({ type }) => ENDS.includes(type))
        expect(effects.slice(end === -1 ? effects.length : end + 1)).toEqual([])
      }),
    )
  })

  test('publishes a message as completed exactly when it is stored, once', () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { published, rows } = perform(events)
        const ids = published.flatMap((one) => (one.event === 'message.completed' ? one.data.message.message_id : []))
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
