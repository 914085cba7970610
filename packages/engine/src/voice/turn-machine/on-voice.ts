import { resumeAtMs } from './decide-resume.ts'
import { updateAveragePause } from './endpointing/end-of-turn-delay.ts'
import type { VoiceEvent } from './events.ts'
import { rerunReply } from './generations.ts'
import type { TurnState } from './state.ts'
import { change, note, type Step } from './step.ts'
import { canInterrupt, isAgentAudible, isAgentBusy } from './turn-conditions.ts'

/** How long the cancellation of echo in a caller's end takes to learn the room. */
const ECHO_LEARNING_MS = 3_000
/** Words that only show that one listens take no longer. */
export const BACKCHANNEL_MS = 3_000

/** Voice for 50 ms. Whether it means anything is decided later: it only keeps the agent from beginning. */
export function onVoiceStarted(step: Step, event: Extract<VoiceEvent, { type: 'voice-started' }>): void {
  const { voice, turn, settings, connection, transcriber } = step.state
  if (voice.isOn || connection === 'lost' || transcriber === 'none' || isEcho(step.state, event.level, step.nowMs))
    return
  const sinceMs = Math.min(step.nowMs, Math.max(event.sinceMs, voice.lastAtMs))
  const pauseMs = sinceMs - voice.lastAtMs
  const isSameVoice = pauseMs <= settings.transcriberP99Ms + 500
  const untranscribedSinceMs = isSameVoice ? (voice.untranscribedSinceMs ?? sinceMs) : sinceMs
  change(step, {
    voice: {
      isOn: true,
      sinceMs,
      lastAtMs: step.nowMs,
      untranscribedSinceMs: turn === null ? untranscribedSinceMs : voice.untranscribedSinceMs,
      retranscribingSinceMs: null,
    },
  })
  if (turn !== null) {
    change(step, { averagePauseMs: updateAveragePause(step.state.averagePauseMs, sinceMs - turn.lastVoiceAtMs) })
  }
  if (step.state.pause !== null) holdPause(step)
}

/** Silence for 200 ms. */
export function onVoiceEnded(step: Step, lastVoiceAtMs: number): void {
  const { voice, turn, pause, transcriber } = step.state
  if (transcriber === 'none') return
  // Voice that was taken for noise meanwhile still tells when somebody was heard last.
  const lastAtMs = Math.min(step.nowMs, Math.max(lastVoiceAtMs, voice.isOn ? voice.sinceMs : voice.lastAtMs))
  change(step, { voice: { ...voice, isOn: false, lastAtMs } })
  if (turn !== null) change(step, { turn: { ...turn, lastVoiceAtMs: Math.max(turn.firstVoiceAtMs, lastAtMs) } })
  if (pause === null || !voice.isOn) return
  const { transcriberP99Ms } = step.state.settings
  const atMs =
    turn === null ? resumeAtMs({ sinceMs: voice.sinceMs, lastVoiceAtMs: lastAtMs, transcriberP99Ms }) : step.nowMs
  change(step, { pause: { ...pause, resumeAtMs: atMs } })
  if (atMs <= step.nowMs) resumeAgent(step, 'The voice was short and without words.')
}

/** The caller has spoken for so long over the agent that it may be an attempt to interrupt. */
export function onInterruptionCandidate(step: Step): void {
  change(step, { pause: { sinceMs: step.nowMs, resumeAtMs: null } })
}

/** Voice over the agent that no word has explained and that the agent has not paused for. */
export function isCandidate(state: TurnState): boolean {
  const { voice, pause, turn, settings } = state
  if (!voice.isOn || pause !== null || turn !== null || settings.interruptionAfterMs === null) return false
  return isAgentBusy(state) && canInterrupt(state, 'voice')
}

/** The agent goes on where it paused. */
export function resumeAgent(step: Step, why: string): void {
  const { pause, voice } = step.state
  if (pause === null) return
  // Voice that goes on although nobody speaks would pause the agent again and again.
  change(step, { pause: null, voice: { ...voice, isOn: false } })
  note(step, 'false-interruption', why)
}

/** Voice that no text explained in time is noise. */
export function dropVoice(step: Step): void {
  const { voice, transcriber, unrecognizedTurns } = step.state
  change(step, {
    voice: { ...voice, isOn: false, untranscribedSinceMs: null },
    unrecognizedTurns: transcriber === 'listening' ? unrecognizedTurns : unrecognizedTurns + 1,
  })
  note(step, 'voice-without-text', 'Voice was heard, but no words in it.')
  resumeAgent(step, 'No words were in the voice.')
  if (step.state.turn === null) rerunReply(step)
}

/** Keeps the agent paused while the caller speaks, but for words that need not be waited for. */
function holdPause(step: Step): void {
  const { pause, turn } = step.state
  if (pause === null) return
  change(step, { pause: { ...pause, resumeAtMs: turn === null ? null : step.nowMs + BACKCHANNEL_MS } })
}

/** The agent's own voice on its way back. */
export function isEcho(state: TurnState, level: 'normal' | 'echo-like', nowMs: number): boolean {
  if (level === 'normal' || !isAgentAudible(state)) return false
  return !state.settings.cancelsEcho || nowMs - state.startedAtMs < ECHO_LEARNING_MS
}
