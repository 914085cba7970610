import type { CallerTurn, TakenUtterance } from './state.ts'
import { change, emit, type Step } from './step.ts'
import { countSpacedWords } from './words/spaced-words.ts'

/** So many utterances of earlier turns are known again. Late texts come within seconds of their turn. */
export const MOST_TAKEN_UTTERANCES = 64

/** What the caller said, pressed and wrote becomes a turn of the history. There must be something. */
export function takeTurn(step: Step): number {
  const { turn, digits, typed, voice, nextTurn } = step.state
  const text = [turn?.text, ...typed, digits?.text].filter((part) => part !== undefined && part !== '').join(' ')
  const source = digits !== null ? 'dtmf' : typed.length > 0 ? 'typed' : 'speech'
  const lastVoiceAtMs = source === 'speech' ? (turn?.lastVoiceAtMs ?? voice.lastAtMs) : step.nowMs
  const firstVoiceAtMs = Math.min(turn?.firstVoiceAtMs ?? lastVoiceAtMs, lastVoiceAtMs)
  const endOfTurnMs = Math.max(0, step.nowMs - lastVoiceAtMs)
  emit(step, { type: 'commit-user-turn', turn: nextTurn, text, source, firstVoiceAtMs, lastVoiceAtMs, endOfTurnMs })
  if (turn !== null) forgetTurn(step)
  change(step, {
    nextTurn: nextTurn + 1,
    digits: null,
    typed: [],
    opening: null,
    isInjected: false,
    quiet: null,
    silenceMs: 0,
    reminders: 0,
    deafTurns: 0,
    lastSaid: { ...step.state.lastSaid, isSinceTurn: false },
  })
  return nextTurn
}

/** Its words are not heard again: neither late nor twice. */
export function forgetTurn(step: Step): void {
  const { turn, taken } = step.state
  if (turn === null) return
  change(step, { turn: null, taken: withTaken(taken, turn), takenAtMs: step.nowMs })
}

function withTaken(taken: readonly TakenUtterance[], turn: CallerTurn): TakenUtterance[] {
  const added = turn.utterances.map(({ id, text }) => {
    const before = taken.find((one) => one.id === id)?.words ?? 0
    return { id, words: before + countSpacedWords(text) }
  })
  const ids = new Set(added.map(({ id }) => id))
  return [...taken.filter(({ id }) => !ids.has(id)), ...added].slice(-MOST_TAKEN_UTTERANCES)
}
