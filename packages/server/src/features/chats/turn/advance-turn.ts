import type { TurnStreamEvent } from '@parley/contract/events'
import type { MessageRow } from '../../../tables/chat-tables.ts'
import { toMessage } from '../chat-store.ts'
import { applyEngineEvent, buildTurnResult, finishReplay, NO_EFFECTS } from './answer.ts'
import type { Answer, StopReason, TurnEffect, TurnEvent, TurnResult, TurnState } from './turn-state.ts'

/** A turn's state after an event, with ordered effects. */
export interface TurnStep {
  readonly state: TurnState
  readonly effects: readonly TurnEffect[]
}

export const INITIAL_STATE: TurnState = { phase: 'queued', place: null, stopReason: null }

/** Applies one event to the state without side effects. Ignores events that do not apply to the current phase. */
export function advanceTurn(state: TurnState, event: TurnEvent): TurnStep {
  switch (state.phase) {
    case 'queued':
      return advanceQueued(state, event)
    case 'starting':
      return advanceStarting(state, event)
    case 'answering':
      return advanceAnswering(state, event)
    case 'storing':
      return advanceStoring(state, event)
    case 'ended':
    case 'failed':
    case 'joined':
    case 'moved':
      return keepState(state)
  }
}

/** Returns the events that end a stored turn, except `done`. */
export function buildEndEvents(
  rows: readonly MessageRow[],
  { failure }: Pick<TurnResult, 'failure'>,
): TurnStreamEvent[] {
  const events = buildCompletedEvents(rows)
  if (failure !== null) events.push({ event: 'error', data: { code: failure.code, error: failure.message } })
  return events
}

function advanceQueued(state: TurnState & { phase: 'queued' }, event: TurnEvent): TurnStep {
  const { place, stopReason } = state
  switch (event.type) {
    case 'placed':
      return { state: { ...state, place: event.place }, effects: NO_EFFECTS }
    case 'start': {
      const startedEvent: TurnStreamEvent = { event: 'turn.started', data: { turn_id: event.turnId } }
      const effects: readonly TurnEffect[] = [{ type: 'hide-events' }, { type: 'publish', events: [startedEvent] }]
      return { state: { phase: 'starting', place, stopReason, answer: event.answer }, effects }
    }
    case 'resume':
      return { state: { phase: 'answering', stopReason, answer: event.answer }, effects: NO_EFFECTS }
    case 'join':
      return { state: { phase: 'joined' }, effects: [{ type: 'follow', turn: event.turn }] }
    case 'left-queue': {
      const outcome = { status: stopReason ?? 'cancelled', messages: [], failure: null }
      return {
        state: { phase: 'ended', outcome, firstTextMs: null, storedRows: [] },
        effects: [{ type: 'resolve', outcome }],
      }
    }
    default:
      return applyInterruption(state, event)
  }
}

function advanceStarting(state: TurnState & { phase: 'starting' }, event: TurnEvent): TurnStep {
  const { place, stopReason, answer } = state
  switch (event.type) {
    case 'started':
      return { state: { phase: 'answering', stopReason, answer }, effects: NO_EFFECTS }
    case 'start-rejected': {
      const effects: TurnEffect[] = [{ type: 'stop-model' }, { type: 'drop-hidden-events' }]
      if (stopReason === null) effects.push({ type: 'renew-signal' })
      return { state: { phase: 'queued', place, stopReason }, effects }
    }
    case 'engine': {
      const step = applyEngineEvent(answer, event.event, event.nowMs)
      return { state: step.answer === answer ? state : { ...state, answer: step.answer }, effects: step.effects }
    }
    case 'failed':
      return applyInterruption(state, event, [{ type: 'drop-hidden-events' }])
    default:
      return applyInterruption(state, event)
  }
}

function advanceAnswering(state: TurnState & { phase: 'answering' }, event: TurnEvent): TurnStep {
  const { stopReason, answer } = state
  switch (event.type) {
    case 'engine': {
      const step = applyEngineEvent(answer, event.event, event.nowMs)
      return { state: step.answer === answer ? state : { ...state, answer: step.answer }, effects: step.effects }
    }
    case 'committed':
      return commitRows(state, event.rows)
    case 'handed-over':
      return {
        state: { ...state, answer: { ...answer, handoffColumns: event.handoffColumns } },
        effects: [{ type: 'commit' }],
      }
    case 'engine-ended':
      return storeEnd(answer, stopReason, 'cancelled')
    case 'interrupt':
      return storeEnd(answer, stopReason, 'interrupted')
    default:
      return applyInterruption(state, event)
  }
}

function advanceStoring(state: TurnState & { phase: 'storing' }, event: TurnEvent): TurnStep {
  if (event.type !== 'stored') return applyInterruption(state, event)
  const { answer, result } = state
  const { status, failure } = result
  const storedRows = [...answer.storedRows, ...event.rows]
  const outcome = { status, messages: storedRows.map(toMessage), failure }
  const effects: TurnEffect[] = [
    { type: 'publish', events: buildEndEvents(event.rows, result) },
    { type: 'resolve', outcome },
  ]
  return { state: { phase: 'ended', outcome, firstTextMs: answer.firstTextMs, storedRows }, effects }
}

function storeEnd(answer: Answer, stopReason: StopReason | null, defaultStatus: StopReason): TurnStep {
  const finishedReplay = finishReplay(answer)
  const result = buildTurnResult(finishedReplay.answer, stopReason ?? defaultStatus)
  return {
    state: { phase: 'storing', stopReason, answer: finishedReplay.answer, result },
    effects: [...finishedReplay.effects, { type: 'store-end' }],
  }
}

function commitRows(state: TurnState & { phase: 'answering' }, rows: readonly MessageRow[]): TurnStep {
  const { answer } = state
  const events = [...answer.pendingEvents, ...buildCompletedEvents(rows)]
  const storedRows = [...answer.storedRows, ...rows]
  const position = answer.position + rows.length
  return {
    state: { ...state, answer: { ...answer, storedRows, position, pendingMessages: [], pendingEvents: [] } },
    effects: [{ type: 'publish', events }],
  }
}

/** Handles events that can occur in any phase before the turn ends. */
function applyInterruption(
  state: Extract<TurnState, { stopReason: StopReason | null }>,
  event: TurnEvent,
  precedingEffects: readonly TurnEffect[] = NO_EFFECTS,
): TurnStep {
  switch (event.type) {
    case 'stop': {
      const stopReason = state.stopReason === 'interrupted' ? 'interrupted' : event.reason
      return { state: { ...state, stopReason }, effects: [{ type: 'stop-model' }] }
    }
    case 'moved':
      return { state: { phase: 'moved' }, effects: [{ type: 'stop-model' }, { type: 'abandon' }] }
    case 'failed':
      return { state: { phase: 'failed' }, effects: [...precedingEffects, { type: 'reject', error: event.error }] }
    default:
      return keepState(state)
  }
}

function buildCompletedEvents(rows: readonly MessageRow[]): TurnStreamEvent[] {
  return rows.map((row) => ({ event: 'message.completed', data: { message: toMessage(row) } }))
}

function keepState(state: TurnState): TurnStep {
  return { state, effects: NO_EFFECTS }
}
