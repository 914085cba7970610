import type { AgentActivity, UserActivity } from '../ports.ts'
import { endCall } from './end-call.ts'
import { trackSilence, watchLiveness } from './liveness.ts'
import { processPendingInput } from './on-control.ts'
import { MAX_FAILED_TURNS, watchFirstSpeech } from './on-playout.ts'
import { dropBackchannel } from './on-transcript.ts'
import { commitSpeech } from './speech.ts'
import { change, emit, isTurnSpeech, type Step, type TurnState } from './state.ts'
import { syncTimers } from './timers.ts'
import { commitFinishedInput, speculate } from './user-turn.ts'

const MAX_UNRECOGNIZED_TURNS = 3

/** Derives all consequences of an event: finished turns, timers and activity. */
export function applyConsequences(step: Step): void {
  if (step.state.phase === 'live') dropBackchannel(step)
  finishAgentTurn(step)
  endIfUnrecoverable(step)
  if (step.state.phase === 'live') {
    commitFinishedInput(step)
    processPendingInput(step)
    speculate(step)
  }
  if (step.state.phase === 'ended') return
  trackVoice(step)
  watchFirstSpeech(step)
  watchLiveness(step)
  trackSilence(step)
  updatePlayout(step)
  syncTimers(step)
  emitActivity(step)
}

/** Commits a reply that was played completely. */
function finishAgentTurn(step: Step): void {
  const { generation, queue, uncommitted, ending, connection } = step.state
  if (generation?.isLast === true && connection === 'lost') {
    endCall(step, ending?.reason ?? 'agent_hangup')
    return
  }
  if (queue.some(isTurnSpeech) || generation?.outcome === 'running') return
  if (uncommitted !== null) {
    commitSpeech(step, false)
    const hasFailed = uncommitted.isFallback || !uncommitted.wasPlayed
    change(step, { failedTurns: hasFailed ? step.state.failedTurns + 1 : 0 })
  }
  if (generation !== null) change(step, { generation: null })
  if (ending !== null) endCall(step, ending.reason)
  else if (generation?.isLast === true) endCall(step, 'agent_hangup')
}

/** Ends a call in which speech can no longer be heard or understood. */
function endIfUnrecoverable(step: Step): void {
  const { failedTurns, unrecognizedTurns, queue } = step.state
  if (failedTurns >= MAX_FAILED_TURNS && !queue.some(isTurnSpeech)) endCall(step, 'error_unknown')
  else if (unrecognizedTurns >= MAX_UNRECOGNIZED_TURNS) endCall(step, 'error_asr')
}

/** Tracks voice that continues after its words were consumed, because it needs new text. */
function trackVoice(step: Step): void {
  const { voice, turn } = step.state
  if (!voice.isOn || turn !== null || voice.untranscribedSinceMs !== null) return
  change(step, { voice: { ...voice, untranscribedSinceMs: step.nowMs } })
}

/** Pauses playback while the connection is lost or the agent is paused. */
function updatePlayout(step: Step): void {
  const { pause, connection, isPlayoutPaused, queue, generation, voice } = step.state
  if (pause !== null && queue.length === 0 && generation === null) change(step, { pause: null })
  else if (pause !== null && pause.resumeAtMs === null && !voice.isOn && voice.untranscribedSinceMs === null) {
    change(step, { pause: { ...pause, resumeAtMs: step.nowMs } })
  }
  const isPaused = step.state.pause !== null || connection === 'lost'
  if (isPaused === isPlayoutPaused) return
  emit(step, { type: isPaused ? 'pause-playout' : 'resume-playout' })
  change(step, { isPlayoutPaused: isPaused })
}

function emitActivity(step: Step): void {
  const agent = getAgentActivity(step.state)
  const user = getUserActivity(step.state)
  const { lastActivity } = step.state
  if (agent === lastActivity.agent && user === lastActivity.user) return
  emit(step, { type: 'activity', agent, user })
  change(step, { lastActivity: { agent, user } })
}

/** Returns the agent's activity for display. */
function getAgentActivity({ queue, generation, pause, uncommitted }: TurnState): AgentActivity {
  const speech = queue.filter(isTurnSpeech)
  const isPlaying = speech.some(({ status }) => status === 'playing')
  if (isPlaying || (speech.length > 0 && uncommitted?.wasPlayed === true)) return pause === null ? 'speaking' : 'paused'
  if (generation !== null && generation.tools.length > 0) return 'tool'
  return generation !== null || speech.length > 0 ? 'thinking' : 'idle'
}

/** Returns the caller's activity for display. */
function getUserActivity({ voice, turn }: TurnState): UserActivity {
  if (voice.isOn) return turn === null ? 'maybe-speaking' : 'speaking'
  return turn === null ? 'silent' : 'trailing'
}
