import type { VoiceLevel } from '../../audio/voice-activity/voice-activity.ts'
import { refreshEstimate } from './caller-turn.ts'
import { updateAveragePause } from './endpointing/end-of-turn.ts'
import type { VoiceEvent } from './events.ts'
import { repeatReply } from './generations.ts'
import { getPauseEndAtMs, resumeAgent } from './overlap.ts'
import { getSystemPhrases, speakSystemText } from './speech.ts'
import { emit, isAgentAudible, isAgentBusy, note, type Step, type TurnState, update } from './state.ts'

/** Handles the start of speech. Speech alone does not stop the agent. */
export function onVoiceStarted(step: Step, event: Extract<VoiceEvent, { type: 'voice-started' }>): void {
  const { voice, turn, settings, connection, transcriberStatus, pause } = step.state
  if (voice.isActive || connection === 'lost' || transcriberStatus === 'none') return
  if (isIgnored(step.state, event.level)) {
    update(step, { voice: { ...voice, ignored: { level: event.level, endedAtMs: null } } })
    return
  }
  const startedAtMs = Math.min(step.nowMs, Math.max(event.startedAtMs, voice.lastActiveAtMs))
  const pauseMs = startedAtMs - voice.lastActiveAtMs
  const isSameVoice = pauseMs <= settings.transcriberP99Ms + 500
  const untranscribedSinceMs = isSameVoice ? (voice.untranscribedSinceMs ?? startedAtMs) : startedAtMs
  update(step, {
    voice: {
      isActive: true,
      isPaused: false,
      ignored: null,
      startedAtMs,
      lastActiveAtMs: step.nowMs,
      untranscribedSinceMs: turn === null ? untranscribedSinceMs : voice.untranscribedSinceMs,
      retranscribingSinceMs: null,
      // An answer about the previous pause is outdated from now on, even if this voice turns out to be noise.
      pauseId: voice.pauseId + 1,
      endProbability: null,
    },
  })
  if (voice.endProbability !== null) refreshEstimate(step)
  if (turn !== null) {
    update(step, { averagePauseMs: updateAveragePause(step.state.averagePauseMs, startedAtMs - turn.lastVoiceAtMs) })
  }
  if (pause !== null) update(step, { pause: { resumeAtMs: getPauseEndAtMs(step) } })
}

/** Handles a short silence within speech, which often is the end. */
export function onVoicePaused(step: Step, isPaused: boolean): void {
  const { voice } = step.state
  if (voice.isActive) update(step, { voice: { ...voice, isPaused } })
}

/** Handles the end of speech. */
export function onVoiceEnded(step: Step, lastVoiceAtMs: number): void {
  const { voice, turn, pause, transcriberStatus } = step.state
  if (transcriberStatus === 'none') return
  if (!voice.isActive && voice.ignored?.endedAtMs === null) {
    update(step, { voice: { ...voice, ignored: { ...voice.ignored, endedAtMs: lastVoiceAtMs } } })
    return
  }
  // Voice that was dropped as noise still counts as the last voice.
  const lastActiveAtMs = Math.min(
    step.nowMs,
    Math.max(lastVoiceAtMs, voice.isActive ? voice.startedAtMs : voice.lastActiveAtMs),
  )
  update(step, { voice: { ...voice, isActive: false, lastActiveAtMs } })
  if (turn !== null) update(step, { turn: { ...turn, lastVoiceAtMs: Math.max(turn.firstVoiceAtMs, lastActiveAtMs) } })
  if (!voice.isActive) return
  askTurnDetector(step)
  if (pause === null) return
  const resumeAtMs = getPauseEndAtMs(step)
  update(step, { pause: { resumeAtMs } })
  if (resumeAtMs !== null && resumeAtMs <= step.nowMs) resumeAgent(step, 'Brief speech without words.')
}

/** Asks once for each pause whether the caller has finished. The answer can arrive at any time, or never. */
function askTurnDetector(step: Step): void {
  const { voice, turn } = step.state
  const pauseId = voice.pauseId + 1
  update(step, { voice: { ...voice, pauseId, endProbability: null } })
  const sinceMs = Math.min(voice.startedAtMs, voice.untranscribedSinceMs ?? Infinity, turn?.firstVoiceAtMs ?? Infinity)
  emit(step, { type: 'estimate-turn-end', pauseId, sinceMs })
}

/** Handles a turn detector's answer, unless voice has started since. */
export function onTurnEndEstimated(step: Step, event: Extract<VoiceEvent, { type: 'turn-end-estimated' }>): void {
  const { voice } = step.state
  if (voice.isActive || event.pauseId !== voice.pauseId) return
  update(step, { voice: { ...voice, endProbability: event.probability } })
  refreshEstimate(step)
}

/** Whether speech is an echo of the agent, or other people's speech at a time when the caller need not be heard. */
function isIgnored(state: TurnState, level: VoiceLevel): boolean {
  if (level === 'echo-like') return isAgentAudible(state)
  return level === 'background' && (isAgentBusy(state) || state.turn !== null)
}

/** Treats voice without text as noise. */
export function dropUntranscribedVoice(step: Step): void {
  const { voice, transcriberStatus, unrecognizedTurnCount, textDelays } = step.state
  update(step, {
    voice: { ...voice, isActive: false, untranscribedSinceMs: null },
    unrecognizedTurnCount: transcriberStatus === 'listening' ? unrecognizedTurnCount : unrecognizedTurnCount + 1,
  })
  note(step, 'voice-without-text', 'Voice without recognizable words.')
  resumeAgent(step, 'No words recognized.')
  if (step.state.turn !== null) return
  if (step.state.canceledReply !== null) repeatReply(step)
  // A transcriber without any text may still be starting.
  else if (!voice.isActive && textDelays.finalMs !== null) askToRepeat(step, voice.untranscribedSinceMs)
}

/** Minimum duration of speech that the caller expects the agent to understand. */
const MIN_SPEECH_MS = 1_000
const MAX_NOT_UNDERSTOOD = 2

/** Asks a caller to repeat speech without words, at most twice in a row. */
export function askToRepeat(step: Step, speechStartedAtMs: number | null): void {
  const { voice, turn, notUnderstoodCount, transcriberStatus, canceledReply } = step.state
  if (speechStartedAtMs === null || voice.lastActiveAtMs - speechStartedAtMs < MIN_SPEECH_MS) return
  if (turn !== null || canceledReply !== null || isAgentBusy(step.state) || transcriberStatus !== 'listening') return
  if (notUnderstoodCount >= MAX_NOT_UNDERSTOOD) return
  update(step, { notUnderstoodCount: notUnderstoodCount + 1, opening: null })
  note(step, 'not-understood', 'The agent asked the caller to repeat speech without recognizable words.')
  speakSystemText(step, 'filler', getSystemPhrases(step.state).notUnderstood)
}
