import { getTurnEndAtMs } from './caller-turn.ts'
import { getBackchannelAtMs, getNoiseAtMs, isTooLateForBackchannel } from './deciders.ts'
import { DRAIN_MS, endCall } from './end-call.ts'
import type { TimerName } from './events.ts'
import { repeatReply } from './generations.ts'
import { getLivenessAtMs, getReminderAtMs, getSilenceAtMs, onLiveness, onReminder, onToolLine } from './liveness.ts'
import { openCall } from './on-control.ts'
import { getSpeechStallAtMs, onSpeechStall } from './on-playout.ts'
import { dropVoice, isCandidate, onInterruptionCandidate, resumeAgent } from './on-voice.ts'
import { getSystemPhrases, speakNextPhrase } from './speech.ts'
import { change, emit, isAgentBusy, type Step, type TurnState } from './state.ts'
import { commitTurn } from './user-turn.ts'

interface Timer {
  /** Returns the timer's due time, or `undefined` if the timer is not running. */
  readonly atMs: (state: TurnState) => number | undefined
  readonly fire: (step: Step) => void
}

const RECHECK_MS = 1_000

/** All timers derive from the state, so no timer is missed and late timers are ignored. */
const TIMERS: Readonly<Record<TimerName, Timer>> = {
  opening: { atMs: ({ opening }) => opening?.dueAtMs ?? undefined, fire: openCall },
  'end-of-turn': { atMs: getEndOfTurnDueMs, fire: onTurnEnd },
  'interruption-candidate': { atMs: getCandidateDueMs, fire: onInterruptionCandidate },
  resume: {
    atMs: ({ pause }) => pause?.resumeAtMs ?? undefined,
    fire: (step) => resumeAgent(step, 'Silence without recognizable words.'),
  },
  'voice-without-text': { atMs: getNoiseDueMs, fire: dropVoice },
  'interruption-check': { atMs: ({ canceled }) => canceled?.checkAtMs, fire: onInterruptionCheck },
  liveness: { atMs: getLivenessAtMs, fire: onLiveness },
  'tool-line': { atMs: ({ toolLineAtMs }) => toolLineAtMs ?? undefined, fire: onToolLine },
  'speech-stall': { atMs: getSpeechStallAtMs, fire: onSpeechStall },
  dtmf: { atMs: getDigitsDueMs, fire: onDigitsTimeout },
  reminder: { atMs: getReminderAtMs, fire: onReminder },
  silence: { atMs: getSilenceAtMs, fire: (step) => endCall(step, 'inactivity') },
  duration: {
    atMs: ({ startedAtMs, settings }) => startedAtMs + settings.maxCallDurationMs,
    fire: (step) => endCall(step, 'max_duration_reached'),
  },
  backchannel: { atMs: getBackchannelDueMs, fire: onBackchannelPause },
  drain: { atMs: getDrainDueMs, fire: (step) => endCall(step, step.state.ending?.reason ?? 'agent_hangup') },
}
const TIMER_NAMES = Object.keys(TIMERS) as TimerName[]

/** Fires a timer unless it is no longer due. */
export function onTimer(step: Step, name: TimerName): void {
  const timer = TIMERS[name]
  const dueAtMs = timer.atMs(step.state)
  if (dueAtMs === undefined || step.nowMs < dueAtMs) return
  const { [name]: _, ...timers } = step.state.timers
  change(step, { timers })
  timer.fire(step)
}

/** Sets and clears timers to match the state. */
export function syncTimers(step: Step): void {
  const { timers } = step.state
  let updatedTimers: Partial<Record<TimerName, number>> | null = null
  for (const name of TIMER_NAMES) {
    const atMs = TIMERS[name].atMs(step.state)
    if (atMs === timers[name]) continue
    updatedTimers ??= { ...timers }
    if (atMs === undefined) {
      delete updatedTimers[name]
      emit(step, { type: 'clear-timer', name })
    } else {
      updatedTimers[name] = atMs
      emit(step, { type: 'set-timer', name, atMs: Math.max(atMs, step.nowMs) })
    }
  }
  if (updatedTimers !== null) change(step, { timers: updatedTimers })
}

function getEndOfTurnDueMs(state: TurnState): number | undefined {
  const { turn, digits, phase } = state
  if (turn === null || digits !== null || phase !== 'live' || isAgentBusy(state)) return undefined
  return getTurnEndAtMs(state, turn)
}

function onTurnEnd(step: Step): void {
  const { voice } = step.state
  // Voice without new words for this long is noise. Later words belong to voice from this point on.
  if (voice.isOn) change(step, { voice: { ...voice, isOn: false, startedAtMs: step.nowMs, lastAtMs: step.nowMs } })
  commitTurn(step)
}

function getCandidateDueMs(state: TurnState): number | undefined {
  const { voice, settings } = state
  return isCandidate(state) ? voice.startedAtMs + (settings.interruptionAfterMs ?? 0) : undefined
}

function getNoiseDueMs({ voice, settings }: TurnState): number | undefined {
  const { untranscribedSinceMs, isOn, lastAtMs, retranscribingSinceMs } = voice
  if (untranscribedSinceMs === null) return undefined
  const { transcriberP99Ms } = settings
  return getNoiseAtMs({
    startedAtMs: untranscribedSinceMs,
    isOn,
    lastVoiceAtMs: lastAtMs,
    transcriberP99Ms,
    retranscribingSinceMs,
  })
}

function onInterruptionCheck(step: Step): void {
  const { canceled, voice, turn, digits } = step.state
  if (canceled === null) return
  // Speech, keys and voice each end independently.
  if (voice.isOn || turn !== null || digits !== null) {
    change(step, { canceled: { ...canceled, checkAtMs: step.nowMs + RECHECK_MS } })
  } else repeatReply(step)
}

function getDigitsDueMs({ digits, settings }: TurnState): number | undefined {
  return digits === null || digits.isDone ? undefined : digits.lastAtMs + settings.dtmf.timeoutMs
}

function onDigitsTimeout(step: Step): void {
  const { digits } = step.state
  if (digits !== null) change(step, { digits: { ...digits, isDone: true } })
}

function getBackchannelDueMs(state: TurnState): number | undefined {
  const { turn, settings, voice, phase } = state
  if (settings.backchannel === null || turn === null || voice.isOn || phase !== 'live' || isAgentBusy(state)) {
    return undefined
  }
  if (turn.backchannelForMs === turn.lastVoiceAtMs) return undefined
  const atMs = getBackchannelAtMs({
    speechMs: turn.lastVoiceAtMs - turn.firstVoiceAtMs,
    lastVoiceAtMs: turn.lastVoiceAtMs,
    probability: turn.estimate.probability,
    lastBackchannelAtMs: state.lastBackchannelAtMs,
  })
  return atMs ?? undefined
}

function onBackchannelPause(step: Step): void {
  const { turn, settings, backchannelCredit } = step.state
  if (turn === null || settings.backchannel === null) return
  change(step, { turn: { ...turn, backchannelForMs: turn.lastVoiceAtMs } })
  if (isTooLateForBackchannel(turn.lastVoiceAtMs, step.nowMs)) return
  const { frequency, words } = settings.backchannel
  // A frequency of 0.8 means four out of five pauses, evenly distributed.
  const credit = backchannelCredit + Math.min(1, Math.max(0, frequency))
  change(step, { backchannelCredit: credit >= 0.999 ? credit - 1 : credit })
  if (credit < 0.999) return
  change(step, { lastBackchannelAtMs: step.nowMs })
  speakNextPhrase(step, 'backchannel', words.length > 0 ? words : getSystemPhrases(step.state).backchannels)
}

function getDrainDueMs({ ending, generation, lastSpoken, queue }: TurnState): number | undefined {
  if (ending !== null) return ending.untilMs
  if (generation?.isLast !== true || generation.outcome !== 'completed') return undefined
  const startMs = queue[0]?.waitingSinceMs ?? lastSpoken.endedAtMs ?? generation.startedAtMs
  return startMs + DRAIN_MS
}
