import type { EndReason, TimerName } from './events.ts'
import { cancelGeneration, dropSpeculation } from './generations.ts'
import { isTurnSpeech } from './occupation.ts'
import { clearSpeech, settleSpeech } from './speech.ts'
import { change, emit, type Step } from './step.ts'
import { takeTurn } from './take-turn.ts'

/** How long what is being said may take when the call is to end. */
export const DRAIN_MS = 20_000

/** The call is over: what was heard and said goes into the history, everything is let go, nothing follows. */
export function endCall(step: Step, reason: EndReason): void {
  if (step.state.phase === 'ended') return
  clearSpeech(step)
  dropSpeculation(step, 'The call ended.')
  cancelGeneration(step)
  settleSpeech(step, true)
  const { turn, typed, digits } = step.state
  if (turn !== null || typed.length > 0 || digits !== null) takeTurn(step)
  for (const name of Object.keys(step.state.timers) as TimerName[]) emit(step, { type: 'clear-timer', name })
  const { told } = step.state
  if (told.agent !== 'idle' || told.user !== 'silent') emit(step, { type: 'activity', agent: 'idle', user: 'silent' })
  change(step, {
    phase: 'ended',
    timers: {},
    told: { agent: 'idle', user: 'silent' },
    opening: null,
    turn: null,
    digits: null,
    typed: [],
    says: [],
    taken: [],
    isInjected: false,
    cancelled: null,
    liveness: null,
    quiet: null,
    ending: null,
  })
  emit(step, { type: 'end', reason })
}

/** What is being said is said to its end, then the call is over. Nobody is listened to any more. */
export function drainCall(step: Step, reason: EndReason): void {
  const { line, queue, generation } = step.state
  if (line === 'lost' || !queue.some(isTurnSpeech)) {
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
    says: [],
    isInjected: false,
    cancelled: null,
  })
}
