import { getResumeAtMs } from './deciders.ts'
import { updateAveragePause } from './endpointing/end-of-turn.ts'
import type { VoiceEvent } from './events.ts'
import { repeatReply } from './generations.ts'
import { canInterrupt, change, isAgentAudible, isAgentBusy, note, type Step, type TurnState } from './state.ts'

/** Time that the client's echo cancellation takes to adapt. */
const ECHO_LEARNING_MS = 3_000
/** Maximum duration of a backchannel. */
export const BACKCHANNEL_MS = 3_000

/** Handles 50 ms of voice, which only keeps the agent from starting to speak. */
export function onVoiceStarted(step: Step, event: Extract<VoiceEvent, { type: 'voice-started' }>): void {
  const { voice, turn, settings, connection, transcriber } = step.state
  if (voice.isOn || connection === 'lost' || transcriber === 'none' || isEcho(step.state, event.level, step.nowMs))
    return
  const startedAtMs = Math.min(step.nowMs, Math.max(event.startedAtMs, voice.lastAtMs))
  const pauseMs = startedAtMs - voice.lastAtMs
  const isSameVoice = pauseMs <= settings.transcriberP99Ms + 500
  const untranscribedSinceMs = isSameVoice ? (voice.untranscribedSinceMs ?? startedAtMs) : startedAtMs
  change(step, {
    voice: {
      isOn: true,
      startedAtMs,
      lastAtMs: step.nowMs,
      untranscribedSinceMs: turn === null ? untranscribedSinceMs : voice.untranscribedSinceMs,
      retranscribingSinceMs: null,
    },
  })
  if (turn !== null) {
    change(step, { averagePauseMs: updateAveragePause(step.state.averagePauseMs, startedAtMs - turn.lastVoiceAtMs) })
  }
  if (step.state.pause !== null) extendPause(step)
}

/** Handles 200 ms of silence. */
export function onVoiceEnded(step: Step, lastVoiceAtMs: number): void {
  const { voice, turn, pause, transcriber } = step.state
  if (transcriber === 'none') return
  // Voice that counted as noise still indicates when the caller was last heard.
  const lastAtMs = Math.min(step.nowMs, Math.max(lastVoiceAtMs, voice.isOn ? voice.startedAtMs : voice.lastAtMs))
  change(step, { voice: { ...voice, isOn: false, lastAtMs } })
  if (turn !== null) change(step, { turn: { ...turn, lastVoiceAtMs: Math.max(turn.firstVoiceAtMs, lastAtMs) } })
  if (pause === null || !voice.isOn) return
  const { transcriberP99Ms } = step.state.settings
  const atMs =
    turn === null
      ? getResumeAtMs({ startedAtMs: voice.startedAtMs, lastVoiceAtMs: lastAtMs, transcriberP99Ms })
      : step.nowMs
  change(step, { pause: { ...pause, resumeAtMs: atMs } })
  if (atMs <= step.nowMs) resumeAgent(step, 'Brief sound ignored.')
}

/** Pauses the agent after the caller has spoken over it long enough. */
export function onInterruptionCandidate(step: Step): void {
  change(step, { pause: { startedAtMs: step.nowMs, resumeAtMs: null } })
}

/** Whether the caller speaks over the agent without text and without having paused the agent. */
export function isCandidate(state: TurnState): boolean {
  const { voice, pause, turn, settings } = state
  if (!voice.isOn || pause !== null || turn !== null || settings.interruptionAfterMs === null) return false
  return isAgentBusy(state) && canInterrupt(state, 'voice')
}

/** Resumes the agent after a pause. */
export function resumeAgent(step: Step, reason: string): void {
  const { pause, voice } = step.state
  if (pause === null) return
  // Otherwise, continuing voice would pause the agent again and again.
  change(step, { pause: null, voice: { ...voice, isOn: false } })
  note(step, 'false-interruption', reason)
}

/** Treats voice without text as noise. */
export function dropVoice(step: Step): void {
  const { voice, transcriber, unrecognizedTurns } = step.state
  change(step, {
    voice: { ...voice, isOn: false, untranscribedSinceMs: null },
    unrecognizedTurns: transcriber === 'listening' ? unrecognizedTurns : unrecognizedTurns + 1,
  })
  note(step, 'voice-without-text', 'Voice without recognizable words.')
  resumeAgent(step, 'No words recognized.')
  if (step.state.turn === null) repeatReply(step)
}

/** Extends the pause while the caller speaks. */
function extendPause(step: Step): void {
  const { pause, turn } = step.state
  if (pause === null) return
  change(step, { pause: { ...pause, resumeAtMs: turn === null ? null : step.nowMs + BACKCHANNEL_MS } })
}

/** Whether a voice is the agent's own echo. */
export function isEcho(state: TurnState, level: 'normal' | 'echo-like', nowMs: number): boolean {
  if (level === 'normal' || !isAgentAudible(state)) return false
  return !state.settings.cancelsEcho || nowMs - state.startedAtMs < ECHO_LEARNING_MS
}
