import { endsAsQuestion } from './endpointing/expected-answer.ts'
import type { QueuedSpeech, TurnState } from './state.ts'

/** Speech that is part of an agent turn, unlike backchannels. */
export function isTurnSpeech(speech: QueuedSpeech): boolean {
  return speech.kind !== 'backchannel'
}

/** The agent is answering or speaking. */
export function isAgentBusy(state: TurnState): boolean {
  return state.generation !== null || state.queue.some(isTurnSpeech)
}

/** Agent speech is playing or was just paused. */
export function isAgentAudible(state: TurnState): boolean {
  return state.queue.some((speech) => speech.status === 'playing' && isTurnSpeech(speech))
}

/** The agent has finished with a question. */
export function isAfterQuestion(state: TurnState): boolean {
  const { lastSpoken, queue, generation } = state
  if (!lastSpoken.isSinceLastTurn || !endsAsQuestion(lastSpoken.text) || generation?.outcome === 'running') return false
  return queue.every((speech) => speech.status === 'playing' || !isTurnSpeech(speech))
}

/** Whether the caller may interrupt the agent. */
export function canInterrupt(state: TurnState, by: 'voice' | 'typing' | 'keys'): boolean {
  if (state.phase !== 'live' || state.generation?.isLast === true) return false
  if (by === 'keys') return state.settings.allowDtmfInterruption
  const isAllowed = state.settings.interruptible && state.queue.every((speech) => speech.isInterruptible)
  if (by === 'typing') return isAllowed
  // Continuing before the answer is audible does not count as an interruption.
  return isAllowed && (state.settings.interruptionAfterMs !== null || state.uncommitted?.wasPlayed !== true)
}

/** The caller is silent and nothing of theirs is pending. */
export function isCallerSilent(state: TurnState): boolean {
  return !state.voice.isOn && state.turn === null && state.digits === null && state.typed.length === 0
}
