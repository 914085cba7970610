import type { CallerTurn, ConsumedUtterance } from './state.ts'
import { change, emit, type Step } from './step.ts'
import { countSpacedWords } from './words/spaced-words.ts'

/** So many utterances of earlier turns are known again. Late texts come within seconds of their turn. */
export const MAX_CONSUMED_UTTERANCES = 64

/** What the caller said, pressed and wrote becomes a turn of the history. There must be something. */
export function consumeTurn(step: Step): number {
  const { turn, digits, typed, voice, nextTurn } = step.state
  const text = [turn?.text, ...typed, digits?.text].filter((part) => part !== undefined && part !== '').join(' ')
  const source = digits !== null ? 'dtmf' : typed.length > 0 ? 'typed' : 'speech'
  const lastVoiceAtMs = source === 'speech' ? (turn?.lastVoiceAtMs ?? voice.lastAtMs) : step.nowMs
  const firstVoiceAtMs = Math.min(turn?.firstVoiceAtMs ?? lastVoiceAtMs, lastVoiceAtMs)
  const endOfTurnMs = Math.max(0, step.nowMs - lastVoiceAtMs)
  emit(step, { type: 'commit-user-turn', turn: nextTurn, text, source, firstVoiceAtMs, lastVoiceAtMs, endOfTurnMs })
  if (turn !== null) discardTurn(step)
  change(step, {
    nextTurn: nextTurn + 1,
    digits: null,
    typed: [],
    opening: null,
    isInjected: false,
    quiet: null,
    silenceMs: 0,
    reminders: 0,
    unrecognizedTurns: 0,
    lastSpoken: { ...step.state.lastSpoken, isSinceLastTurn: false },
  })
  return nextTurn
}

/** Its words are not heard again: neither late nor twice. */
export function discardTurn(step: Step): void {
  const { turn, consumed } = step.state
  if (turn === null) return
  change(step, { turn: null, consumed: addConsumed(consumed, turn), consumedAtMs: step.nowMs })
}

function addConsumed(consumed: readonly ConsumedUtterance[], turn: CallerTurn): ConsumedUtterance[] {
  const added = turn.utterances.map(({ id, text }) => {
    const before = consumed.find((one) => one.id === id)?.words ?? 0
    return { id, words: before + countSpacedWords(text) }
  })
  const ids = new Set(added.map(({ id }) => id))
  return [...consumed.filter(({ id }) => !ids.has(id)), ...added].slice(-MAX_CONSUMED_UTTERANCES)
}
