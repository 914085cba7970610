import { consumeTurn } from './caller-turn.ts'
import type { EndReason, TimerName } from './events.ts'
import { cancelGeneration, dropSpeculation } from './generations.ts'
import { clearSpeech, commitSpeech } from './speech.ts'
import { change, emit, isTurnSpeech, type Step } from './state.ts'

/** Maximum time to finish speaking before a requested end. */
export const DRAIN_MS = 20_000

/** Ends the call, commits both sides' speech, and releases all resources. */
export function endCall(step: Step, reason: EndReason): void {
  if (step.state.phase === 'ended') return
  clearSpeech(step)
  dropSpeculation(step, 'The call ended.')
  cancelGeneration(step)
  commitSpeech(step, true)
  const { turn, typed, digits } = step.state
  if (turn !== null || typed.length > 0 || digits !== null) consumeTurn(step)
  for (const name of Object.keys(step.state.timers) as TimerName[]) emit(step, { type: 'clear-timer', name })
  const { lastActivity } = step.state
  if (lastActivity.agent !== 'idle' || lastActivity.user !== 'silent')
    emit(step, { type: 'activity', agent: 'idle', user: 'silent' })
  change(step, {
    phase: 'ended',
    timers: {},
    lastActivity: { agent: 'idle', user: 'silent' },
    opening: null,
    turn: null,
    digits: null,
    typed: [],
    pendingSays: [],
    consumed: [],
    isInjected: false,
    canceled: null,
    liveness: null,
    quiet: null,
    ending: null,
  })
  emit(step, { type: 'end', reason })
}

/** Ends the call after current speech. The caller is no longer heard. */
export function drainCall(step: Step, reason: EndReason): void {
  const { connection, queue, generation } = step.state
  if (connection === 'lost' || !queue.some(isTurnSpeech)) {
    endCall(step, reason)
    return
  }
  dropSpeculation(step, 'The call is about to end.')
  change(step, {
    phase: 'ending',
    ending: { reason, untilMs: step.nowMs + DRAIN_MS },
    generation: generation === null ? null : { ...generation, isLast: true },
    pause: null,
    opening: null,
    pendingSays: [],
    isInjected: false,
    canceled: null,
  })
}
