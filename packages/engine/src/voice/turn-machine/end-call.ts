import { consumeTurn } from './caller-turn.ts'
import type { EndReason, TimerName } from './events.ts'
import { cancelGeneration, dropSpeculation } from './generations.ts'
import { clearSpeech, commitSpeech } from './speech.ts'
import { emit, isTurnSpeech, type Step, update } from './state.ts'

/** Maximum time to finish speaking before the call ends. */
export const MAX_DRAIN_MS = 20_000

/** Ends the call, commits both sides' speech, and releases all resources. */
export function endCall(step: Step, reason: EndReason): void {
  if (step.state.phase === 'ended') return
  clearSpeech(step)
  dropSpeculation(step, 'The call ended.')
  cancelGeneration(step)
  commitSpeech(step, true)
  const { turn, typedTexts, digits } = step.state
  if (turn !== null || typedTexts.length > 0 || digits !== null) consumeTurn(step)
  for (const name of Object.keys(step.state.timers) as TimerName[]) emit(step, { type: 'clear-timer', name })
  const { lastActivity } = step.state
  if (lastActivity.agent !== 'idle' || lastActivity.user !== 'silent')
    emit(step, { type: 'activity', agent: 'idle', user: 'silent' })
  update(step, {
    phase: 'ended',
    timers: {},
    lastActivity: { agent: 'idle', user: 'silent' },
    opening: null,
    turn: null,
    digits: null,
    typedTexts: [],
    pendingSayTexts: [],
    consumedUtterances: [],
    isInjectionPending: false,
    canceledReply: null,
    replyWait: null,
    silence: null,
    pendingEnd: null,
  })
  emit(step, { type: 'end', reason })
}

/** Ends the call after current speech. The caller is ignored from now on. */
export function drainCall(step: Step, reason: EndReason): void {
  const { connection, queue, generation } = step.state
  if (connection === 'lost' || !queue.some(isTurnSpeech)) {
    endCall(step, reason)
    return
  }
  dropSpeculation(step, 'The call is about to end.')
  update(step, {
    phase: 'ending',
    pendingEnd: { reason, deadlineMs: step.nowMs + MAX_DRAIN_MS },
    generation: generation === null ? null : { ...generation, isLast: true },
    pause: null,
    opening: null,
    pendingSayTexts: [],
    isInjectionPending: false,
    canceledReply: null,
  })
}
