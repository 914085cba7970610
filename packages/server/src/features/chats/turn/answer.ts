import type { TurnStreamEvent } from '@parley/contract/events'
import type { DialogueEvent, DialogueState, TurnEnd } from '@parley/engine/dialogue/conversation'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import { removeNul, toStorableText } from '../../../kernel/storage/text.ts'
import { buildActionRecord, buildTransitionRecord } from '../chat-store.ts'
import { endReplay, replayText } from '../failover/replay.ts'
import type { Answer, PendingMessage, TurnEffect, TurnResult } from './turn-state.ts'
import { serializeToolCalls } from './turn-writes.ts'

/** The answer after an event, with ordered effects. */
interface AnswerStep {
  readonly answer: Answer
  readonly effects: readonly TurnEffect[]
}

export const NO_EFFECTS: readonly TurnEffect[] = []
const COMMIT_EFFECTS: readonly TurnEffect[] = [{ type: 'commit' }]

export function createEmptyAnswer(start: Pick<Answer, 'baseline' | 'startedAtMs' | 'position'>): Answer {
  return {
    ...start,
    storedRows: [],
    pendingMessages: [],
    pendingEvents: [],
    usage: [],
    decisions: [],
    state: null,
    handoffColumns: null,
    firstTextMs: null,
    endsChat: false,
    end: null,
    replay: null,
  }
}

/** Applies one engine event. Transitions and messages with tool calls are committed before the engine continues. */
export function applyEngineEvent(answer: Answer, event: DialogueEvent, nowMs: number): AnswerStep {
  switch (event.type) {
    case 'text-delta':
      return applyText(answer, removeNul(event.text), nowMs)
    case 'message-end':
      return endMessage(answer, event, nowMs)
    case 'tool-result':
      return applyToolResult(answer, event, nowMs)
    case 'usage':
      return keepAnswer({ ...answer, usage: [...answer.usage, { model: event.model, ...event.usage }] })
    case 'explanation':
      return keepAnswer({ ...answer, decisions: [...answer.decisions, event.explanation] })
    case 'node-transition':
    case 'state-transition':
      return {
        answer: addPendingMessage({ ...answer, state: event.state }, buildTransitionRecord(event), nowMs),
        effects: COMMIT_EFFECTS,
      }
    case 'action':
      return applyAction(answer, event, nowMs)
    case 'variables-collected':
      return keepAnswer({ ...answer, state: applyCollectedVariables(answer, event.variables) })
    case 'turn-end':
      return keepAnswer({ ...answer, end: event })
  }
}

/** Ends the current message's replay. */
export function finishReplay(answer: Answer): AnswerStep {
  if (answer.replay === null) return keepAnswer(answer)
  return { answer: { ...answer, replay: null }, effects: toPublishEffects(endReplay(answer.replay)) }
}

/** Builds the turn's final data. `status` is used if the engine did not finish. */
export function buildTurnResult(answer: Answer, status: 'cancelled' | 'interrupted'): TurnResult {
  const { end } = answer
  const finalStatus = end === null ? status : end.outcome
  return {
    status: finalStatus,
    failure: end?.outcome === 'failed' ? toFailure(end) : null,
    state: getStateToStore(answer),
    endsChat: answer.endsChat && finalStatus === 'completed',
  }
}

function keepAnswer(answer: Answer): AnswerStep {
  return { answer, effects: NO_EFFECTS }
}

function toPublishEffects(events: readonly TurnStreamEvent[]): readonly TurnEffect[] {
  return events.length === 0 ? NO_EFFECTS : [{ type: 'publish', events }]
}

function applyText(answer: Answer, text: string, nowMs: number): AnswerStep {
  const nextAnswer = answer.firstTextMs === null ? { ...answer, firstTextMs: nowMs - answer.startedAtMs } : answer
  if (answer.replay === null) {
    return { answer: nextAnswer, effects: toPublishEffects([{ event: 'message.delta', data: { text } }]) }
  }
  const { events, replay } = replayText(answer.replay, text)
  return { answer: { ...nextAnswer, replay }, effects: toPublishEffects(events) }
}

function endMessage(
  answer: Answer,
  { content, toolCalls, incomplete }: Extract<DialogueEvent, { type: 'message-end' }>,
  nowMs: number,
): AnswerStep {
  const finishedReplay = finishReplay(answer)
  const message = {
    role: 'assistant',
    content,
    tool_calls: serializeToolCalls(toolCalls),
    incomplete: incomplete ? 1 : 0,
  } as const
  const nextAnswer = addPendingMessage(finishedReplay.answer, message, nowMs)
  if (toolCalls.length === 0) return { answer: nextAnswer, effects: finishedReplay.effects }
  const callEvents = toolCalls.map(({ id, name, argumentsText }): TurnStreamEvent => {
    return { event: 'tool.call', data: { tool_call_id: id, name, arguments: argumentsText } }
  })
  return {
    answer: { ...nextAnswer, pendingEvents: callEvents },
    effects: [...finishedReplay.effects, ...COMMIT_EFFECTS],
  }
}

function applyToolResult(
  answer: Answer,
  { toolCallId, name, content, fullContent, ok }: Extract<DialogueEvent, { type: 'tool-result' }>,
  nowMs: number,
): AnswerStep {
  const message = { role: 'tool', content: fullContent, name, tool_call_id: toolCallId }
  const result = { tool_call_id: toolCallId, name, content, successful: ok }
  const pendingEvents: readonly TurnStreamEvent[] = [{ event: 'tool.result', data: result }]
  return { answer: { ...addPendingMessage(answer, message, nowMs), pendingEvents }, effects: COMMIT_EFFECTS }
}

function applyAction(
  answer: Answer,
  { action, state }: Extract<DialogueEvent, { type: 'action' }>,
  nowMs: number,
): AnswerStep {
  const record = buildActionRecord(action)
  const answerWithState = state === undefined ? answer : { ...answer, state }
  const nextAnswer = record === null ? answerWithState : addPendingMessage(answerWithState, record, nowMs)
  switch (action.type) {
    case 'end':
      return keepAnswer({ ...nextAnswer, endsChat: true })
    case 'send-sms':
      // The record is stored with the tool call's result or the next transition.
      return keepAnswer(nextAnswer)
    case 'agent-swap':
      return { answer: nextAnswer, effects: [{ type: 'hand-over', swap: action }] }
  }
}

function addPendingMessage(answer: Answer, message: PendingMessage, nowMs: number): Answer {
  const { content, name = '' } = message
  const texts = { content: toStorableText(content), name: toStorableText(name) }
  return { ...answer, pendingMessages: [...answer.pendingMessages, { ...message, ...texts, created_at: nowMs }] }
}

function applyCollectedVariables(
  { baseline, state }: Answer,
  variables: Extract<DialogueEvent, { type: 'variables-collected' }>['variables'],
): DialogueState {
  const { kind, id, version } = baseline.engine
  const emptyState = { schema: 1, engine: { kind, id, version }, collectedVariables: {} } as const
  const currentState = state ?? baseline.state ?? emptyState
  return { ...currentState, collectedVariables: applyVariableUpdates(currentState.collectedVariables, variables) }
}

/** Returns the state to store, or null if the chat already has it. */
function getStateToStore({ baseline, state, end }: Answer): DialogueState | null {
  if (end === null) return state
  const isUnchanged = baseline.state !== null && JSON.stringify(baseline.state) === JSON.stringify(end.state)
  return isUnchanged && state === null ? null : end.state
}

function toFailure(end: Extract<TurnEnd, { outcome: 'failed' }>): NonNullable<TurnResult['failure']> {
  const code = end.failure.kind === 'timeout' ? 'provider_timeout' : 'provider_error'
  return { code, message: `The model could not answer: ${end.failure.message}` }
}
