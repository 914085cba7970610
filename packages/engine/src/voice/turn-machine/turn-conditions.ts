import { endsAsQuestion } from './endpointing/expected-answer.ts'
import type { QueuedSpeech, TurnState } from './state.ts'

/** Speech that is a turn of the agent's; its own "mhm" is none. */
export function isTurnSpeech(speech: QueuedSpeech): boolean {
  return speech.kind !== 'backchannel'
}

/** The agent has something to say or to do. */
export function isAgentBusy(state: TurnState): boolean {
  return state.generation !== null || state.queue.some(isTurnSpeech)
}

/** Something of the agent's turn can be heard, or was just paused. */
export function isAgentAudible(state: TurnState): boolean {
  return state.queue.some((speech) => speech.status === 'playing' && isTurnSpeech(speech))
}

/** Nothing is left for the agent to say to the question that it asked last. */
export function isAfterQuestion(state: TurnState): boolean {
  const { lastSpoken, queue, generation } = state
  if (!lastSpoken.isSinceLastTurn || !endsAsQuestion(lastSpoken.text) || generation?.outcome === 'running') return false
  return queue.every((speech) => speech.status === 'playing' || !isTurnSpeech(speech))
}

/** Whether words may take the agent's turn away. */
export function canInterrupt(state: TurnState, by: 'voice' | 'typing' | 'keys'): boolean {
  if (state.phase !== 'live' || state.generation?.isLast === true) return false
  if (by === 'keys') return state.settings.allowDtmfInterruption
  const isAllowed = state.settings.interruptible && state.queue.every((speech) => speech.isInterruptible)
  if (by === 'typing') return isAllowed
  // Who goes on speaking before the answer is heard interrupts nobody.
  return isAllowed && (state.settings.interruptionAfterMs !== null || state.uncommitted?.wasPlayed !== true)
}

/** The caller says nothing and has said nothing that waits for an answer. */
export function isCallerSilent(state: TurnState): boolean {
  return !state.voice.isOn && state.turn === null && state.digits === null && state.typed.length === 0
}
