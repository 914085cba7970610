import type { VoiceLevel } from '../../audio/voice-activity/voice-activity.ts'
import { getResumeAtMs } from './decision-rules.ts'
import { updateAveragePause } from './endpointing/end-of-turn.ts'
import type { VoiceEvent } from './events.ts'
import { repeatReply } from './generations.ts'
import { canInterrupt, isAgentAudible, isAgentBusy, note, type Step, type TurnState, update } from './state.ts'

/** Time that the client's echo cancellation takes to adapt. */
const ECHO_ADAPTATION_MS = 3_000
/** Maximum duration of a backchannel. */
export const MAX_BACKCHANNEL_MS = 3_000

/** Handles the start of voice. Voice alone does not interrupt the agent. */
export function onVoiceStarted(step: Step, event: Extract<VoiceEvent, { type: 'voice-started' }>): void {
  const { voice, turn, settings, connection, transcriberStatus } = step.state
  if (
    voice.isActive ||
    connection === 'lost' ||
    transcriberStatus === 'none' ||
    isEcho(step.state, event.level, step.nowMs)
  )
    return
  const startedAtMs = Math.min(step.nowMs, Math.max(event.startedAtMs, voice.lastActiveAtMs))
  const pauseMs = startedAtMs - voice.lastActiveAtMs
  const isSameVoice = pauseMs <= settings.transcriberP99Ms + 500
  const untranscribedSinceMs = isSameVoice ? (voice.untranscribedSinceMs ?? startedAtMs) : startedAtMs
  update(step, {
    voice: {
      isActive: true,
      startedAtMs,
      lastActiveAtMs: step.nowMs,
      untranscribedSinceMs: turn === null ? untranscribedSinceMs : voice.untranscribedSinceMs,
      retranscribingSinceMs: null,
    },
  })
  if (turn !== null) {
    update(step, { averagePauseMs: updateAveragePause(step.state.averagePauseMs, startedAtMs - turn.lastVoiceAtMs) })
  }
  if (step.state.pause !== null) extendPause(step)
}

/** Handles the end of voice. */
export function onVoiceEnded(step: Step, lastVoiceAtMs: number): void {
  const { voice, turn, pause, transcriberStatus } = step.state
  if (transcriberStatus === 'none') return
  // Voice that was dropped as noise still counts as the last voice.
  const lastActiveAtMs = Math.min(
    step.nowMs,
    Math.max(lastVoiceAtMs, voice.isActive ? voice.startedAtMs : voice.lastActiveAtMs),
  )
  update(step, { voice: { ...voice, isActive: false, lastActiveAtMs } })
  if (turn !== null) update(step, { turn: { ...turn, lastVoiceAtMs: Math.max(turn.firstVoiceAtMs, lastActiveAtMs) } })
  if (pause === null || !voice.isActive) return
  const { transcriberP99Ms } = step.state.settings
  const resumeAtMs =
    turn === null
      ? getResumeAtMs({ startedAtMs: voice.startedAtMs, lastVoiceAtMs: lastActiveAtMs, transcriberP99Ms })
      : step.nowMs
  update(step, { pause: { ...pause, resumeAtMs } })
  if (resumeAtMs <= step.nowMs) resumeAgent(step, 'Brief sound ignored.')
}

/** Pauses the agent after the caller has spoken over it long enough. */
export function onInterruptionCandidate(step: Step): void {
  update(step, { pause: { startedAtMs: step.nowMs, resumeAtMs: null } })
}

/** Whether the caller speaks over the agent, no text has arrived yet and the agent is not paused. */
export function isInterruptionCandidate(state: TurnState): boolean {
  const { voice, pause, turn, settings } = state
  if (!voice.isActive || pause !== null || turn !== null || settings.interruptionAfterMs === null) return false
  return isAgentBusy(state) && canInterrupt(state, 'voice')
}

/** Resumes the agent after a pause. */
export function resumeAgent(step: Step, reason: string): void {
  const { pause, voice } = step.state
  if (pause === null) return
  // Otherwise, continuing voice would pause the agent again and again.
  update(step, { pause: null, voice: { ...voice, isActive: false } })
  note(step, 'false-interruption', reason)
}

/** Treats voice without text as noise. */
export function dropUntranscribedVoice(step: Step): void {
  const { voice, transcriberStatus, unrecognizedTurnCount } = step.state
  update(step, {
    voice: { ...voice, isActive: false, untranscribedSinceMs: null },
    unrecognizedTurnCount: transcriberStatus === 'listening' ? unrecognizedTurnCount : unrecognizedTurnCount + 1,
  })
  note(step, 'voice-without-text', 'Voice without recognizable words.')
  resumeAgent(step, 'No words recognized.')
  if (step.state.turn === null) repeatReply(step)
}

/** Extends the pause while the caller speaks. */
function extendPause(step: Step): void {
  const { pause, turn } = step.state
  if (pause === null) return
  update(step, { pause: { ...pause, resumeAtMs: turn === null ? null : step.nowMs + MAX_BACKCHANNEL_MS } })
}

/** Whether voice is an echo of the agent, or background voice while the agent speaks. */
export function isEcho(state: TurnState, level: VoiceLevel, nowMs: number): boolean {
  if (level === 'normal' || !isAgentAudible(state)) return false
  return !state.settings.cancelsEcho || nowMs - state.startedAtMs < ECHO_ADAPTATION_MS
}
