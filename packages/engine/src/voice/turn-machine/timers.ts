import { getTurnEndAtMs } from './caller-turn.ts'
import { getBackchannelAtMs, getNoiseAtMs, isTooLateForBackchannel } from './decision-rules.ts'
import { endCall, MAX_DRAIN_MS } from './end-call.ts'
import type { TimerName } from './events.ts'
import { repeatReply } from './generations.ts'
import { openCall } from './on-control.ts'
import { getSpeechStallAtMs, onSpeechStall } from './on-playout.ts'
import { dropUntranscribedVoice } from './on-voice.ts'
import {
  getOverlapDueAtMs,
  getOverlapEndDueAtMs,
  isFinishedBackchannel,
  onOverlap,
  onOverlapEnd,
  onPauseEnd,
} from './overlap.ts'
import { getSystemPhrases, speakNextPhrase } from './speech.ts'
import { emit, isAgentBusy, type Step, type TurnState, update } from './state.ts'
import {
  getReminderAtMs,
  getReplyTimeoutAtMs,
  getSilenceAtMs,
  onReminder,
  onReplyTimeout,
  onToolFiller,
} from './timeouts.ts'
import { commitTurn } from './user-turn.ts'

interface Timer {
  /** Returns the timer's due time, or `undefined` if the timer is not running. */
  readonly getDueAtMs: (state: TurnState) => number | undefined
  readonly fire: (step: Step) => void
}

const INTERRUPTION_RECHECK_MS = 1_000

/** All timers derive from the state, so no timer is missed and late timers are ignored. */
const TIMERS: Readonly<Record<TimerName, Timer>> = {
  opening: { getDueAtMs: ({ opening }) => opening?.dueAtMs ?? undefined, fire: openCall },
  'end-of-turn': { getDueAtMs: getEndOfTurnDueAtMs, fire: onTurnEnd },
  overlap: { getDueAtMs: getOverlapDueAtMs, fire: onOverlap },
  'overlap-end': { getDueAtMs: getOverlapEndDueAtMs, fire: onOverlapEnd },
  resume: { getDueAtMs: ({ pause }) => pause?.resumeAtMs ?? undefined, fire: onPauseEnd },
  'voice-without-text': { getDueAtMs: getNoiseDueAtMs, fire: dropUntranscribedVoice },
  'interruption-check': { getDueAtMs: ({ canceledReply }) => canceledReply?.checkAtMs, fire: onInterruptionCheck },
  'reply-timeout': { getDueAtMs: getReplyTimeoutAtMs, fire: onReplyTimeout },
  'tool-filler': { getDueAtMs: ({ toolFillerAtMs }) => toolFillerAtMs ?? undefined, fire: onToolFiller },
  'speech-stall': { getDueAtMs: getSpeechStallAtMs, fire: onSpeechStall },
  dtmf: { getDueAtMs: getDigitsDueAtMs, fire: onDigitsTimeout },
  reminder: { getDueAtMs: getReminderAtMs, fire: onReminder },
  silence: { getDueAtMs: getSilenceAtMs, fire: (step) => endCall(step, 'inactivity') },
  duration: {
    getDueAtMs: ({ startedAtMs, settings }) => startedAtMs + settings.maxCallDurationMs,
    fire: (step) => endCall(step, 'max_duration_reached'),
  },
  backchannel: { getDueAtMs: getBackchannelDueAtMs, fire: onBackchannelPause },
  drain: {
    getDueAtMs: getDrainDueAtMs,
    fire: (step) => endCall(step, step.state.pendingEnd?.reason ?? 'agent_hangup'),
  },
}
const TIMER_NAMES = Object.keys(TIMERS) as TimerName[]

/** Fires a timer unless it is no longer due. */
export function onTimer(step: Step, name: TimerName): void {
  const timer = TIMERS[name]
  const dueAtMs = timer.getDueAtMs(step.state)
  if (dueAtMs === undefined || step.nowMs < dueAtMs) return
  const { [name]: _, ...timers } = step.state.timers
  update(step, { timers })
  timer.fire(step)
}

/** Sets and clears timers to match the state. */
export function syncTimers(step: Step): void {
  const { timers } = step.state
  let updatedTimers: Partial<Record<TimerName, number>> | null = null
  for (const name of TIMER_NAMES) {
    const dueAtMs = TIMERS[name].getDueAtMs(step.state)
    if (dueAtMs === timers[name]) continue
    updatedTimers ??= { ...timers }
    if (dueAtMs === undefined) {
      delete updatedTimers[name]
      emit(step, { type: 'clear-timer', name })
    } else {
      updatedTimers[name] = dueAtMs
      emit(step, { type: 'set-timer', name, atMs: Math.max(dueAtMs, step.nowMs) })
    }
  }
  if (updatedTimers !== null) update(step, { timers: updatedTimers })
}

function getEndOfTurnDueAtMs(state: TurnState): number | undefined {
  const { turn, digits, phase } = state
  if (turn === null || digits !== null || phase !== 'live' || isAgentBusy(state)) return undefined
  if (isFinishedBackchannel(state)) return undefined
  return getTurnEndAtMs(state, turn)
}

function onTurnEnd(step: Step): void {
  const { voice } = step.state
  // Voice without new words for this long is noise. Later words belong to new voice.
  if (voice.isActive)
    update(step, { voice: { ...voice, isActive: false, startedAtMs: step.nowMs, lastActiveAtMs: step.nowMs } })
  commitTurn(step)
}

function getNoiseDueAtMs({ voice, settings }: TurnState): number | undefined {
  const { untranscribedSinceMs, isActive, lastActiveAtMs, retranscribingSinceMs } = voice
  if (untranscribedSinceMs === null) return undefined
  const { transcriberP99Ms } = settings
  return getNoiseAtMs({
    startedAtMs: untranscribedSinceMs,
    isActive,
    lastVoiceAtMs: lastActiveAtMs,
    transcriberP99Ms,
    retranscribingSinceMs,
  })
}

function onInterruptionCheck(step: Step): void {
  const { canceledReply, voice, turn, digits } = step.state
  if (canceledReply === null) return
  // The caller's input is not complete yet.
  if (voice.isActive || turn !== null || digits !== null) {
    update(step, { canceledReply: { ...canceledReply, checkAtMs: step.nowMs + INTERRUPTION_RECHECK_MS } })
  } else repeatReply(step)
}

function getDigitsDueAtMs({ digits, settings }: TurnState): number | undefined {
  return digits === null || digits.isComplete ? undefined : digits.lastKeyAtMs + settings.dtmf.timeoutMs
}

function onDigitsTimeout(step: Step): void {
  const { digits } = step.state
  if (digits !== null) update(step, { digits: { ...digits, isComplete: true } })
}

function getBackchannelDueAtMs(state: TurnState): number | undefined {
  const { turn, settings, voice, phase } = state
  if (settings.backchannel === null || turn === null || voice.isActive || phase !== 'live' || isAgentBusy(state)) {
    return undefined
  }
  if (turn.handledPauseAtMs === turn.lastVoiceAtMs) return undefined
  const backchannelAtMs = getBackchannelAtMs({
    speechMs: turn.lastVoiceAtMs - turn.firstVoiceAtMs,
    lastVoiceAtMs: turn.lastVoiceAtMs,
    probability: turn.estimate.probability,
    lastBackchannelAtMs: state.lastBackchannelAtMs,
  })
  return backchannelAtMs ?? undefined
}

function onBackchannelPause(step: Step): void {
  const { turn, settings, backchannelCredit } = step.state
  if (turn === null || settings.backchannel === null) return
  update(step, { turn: { ...turn, handledPauseAtMs: turn.lastVoiceAtMs } })
  if (isTooLateForBackchannel(turn.lastVoiceAtMs, step.nowMs)) return
  const { frequency, words } = settings.backchannel
  // A frequency of 0.8 means four out of five pauses, evenly distributed.
  const credit = backchannelCredit + Math.min(1, Math.max(0, frequency))
  update(step, { backchannelCredit: credit >= 0.999 ? credit - 1 : credit })
  if (credit < 0.999) return
  update(step, { lastBackchannelAtMs: step.nowMs })
  speakNextPhrase(step, 'backchannel', words.length > 0 ? words : getSystemPhrases(step.state).backchannels)
}

function getDrainDueAtMs({ pendingEnd, generation, lastSpeech, queue }: TurnState): number | undefined {
  if (pendingEnd !== null) return pendingEnd.deadlineMs
  if (generation?.isLast !== true || generation.status !== 'completed') return undefined
  const startMs = queue[0]?.waitingSinceMs ?? lastSpeech.endedAtMs ?? generation.startedAtMs
  return startMs + MAX_DRAIN_MS
}
