import type { AgentActivity, UserActivity } from '../ports.ts'
import { endCall } from './end-call.ts'
import { processPendingInput } from './on-control.ts'
import { MAX_FAILED_TURNS, startSpeechStallTimer } from './on-playout.ts'
import { updateDucking, updatePause } from './overlap.ts'
import { commitSpeech } from './speech.ts'
import { emit, isHeard, isTurnSpeech, type Step, type TurnState, update } from './state.ts'
import { trackReplyWait, trackSilence } from './timeouts.ts'
import { syncTimers } from './timers.ts'
import { commitFinishedInput, speculate } from './user-turn.ts'

const MAX_UNRECOGNIZED_TURNS = 3

/** Applies the consequences of an event: commits finished turns and updates timers and activity. */
export function applyConsequences(step: Step): void {
  finishAgentTurn(step)
  endIfUnrecoverable(step)
  if (step.state.phase === 'live') {
    commitFinishedInput(step)
    processPendingInput(step)
    speculate(step)
  }
  if (step.state.phase === 'ended') return
  markUntranscribedVoice(step)
  startSpeechStallTimer(step)
  trackReplyWait(step)
  trackSilence(step)
  updatePlayout(step)
  syncTimers(step)
  emitActivity(step)
}

/** Commits a reply that was played completely. */
function finishAgentTurn(step: Step): void {
  const { generation, queue, uncommittedSpeech, pendingEnd, connection } = step.state
  if (generation?.isLast === true && connection === 'lost') {
    endCall(step, pendingEnd?.reason ?? 'agent_hangup')
    return
  }
  if (queue.some(isTurnSpeech) || generation?.status === 'running') return
  if (uncommittedSpeech !== null) {
    commitSpeech(step, false)
    const hasFailed = uncommittedSpeech.isFallback || !isHeard(uncommittedSpeech)
    update(step, { failedTurnCount: hasFailed ? step.state.failedTurnCount + 1 : 0 })
  }
  if (generation !== null) update(step, { generation: null })
  if (pendingEnd !== null) endCall(step, pendingEnd.reason)
  else if (generation?.isLast === true) endCall(step, 'agent_hangup')
}

/** Ends a call in which speech can no longer be heard or understood. */
function endIfUnrecoverable(step: Step): void {
  const { failedTurnCount, unrecognizedTurnCount, queue } = step.state
  if (failedTurnCount >= MAX_FAILED_TURNS && !queue.some(isTurnSpeech)) endCall(step, 'error_unknown')
  else if (unrecognizedTurnCount >= MAX_UNRECOGNIZED_TURNS) endCall(step, 'error_asr')
}

/** Marks voice that continues after its turn was committed as untranscribed. */
function markUntranscribedVoice(step: Step): void {
  const { voice, turn } = step.state
  if (!voice.isActive || turn !== null || voice.untranscribedSinceMs !== null) return
  update(step, { voice: { ...voice, untranscribedSinceMs: step.nowMs } })
}

/** Pauses playback while the connection is lost or the agent is paused, and lowers it while the caller may interrupt. */
function updatePlayout(step: Step): void {
  updatePause(step)
  const { connection, isPlayoutPaused } = step.state
  const isPaused = step.state.pause !== null || connection === 'lost'
  if (isPaused !== isPlayoutPaused) emit(step, { type: isPaused ? 'pause-playout' : 'resume-playout' })
  update(step, { isPlayoutPaused: isPaused })
  updateDucking(step)
}

function emitActivity(step: Step): void {
  const agent = getAgentActivity(step.state)
  const user = getUserActivity(step.state)
  const { lastActivity } = step.state
  if (agent === lastActivity.agent && user === lastActivity.user) return
  emit(step, { type: 'activity', agent, user })
  update(step, { lastActivity: { agent, user } })
}

/** Returns the agent's activity for display. */
function getAgentActivity({ queue, generation, pause, uncommittedSpeech }: TurnState): AgentActivity {
  const speech = queue.filter(isTurnSpeech)
  const isPlaying = speech.some(({ status }) => status === 'playing')
  if (isPlaying || (speech.length > 0 && isHeard(uncommittedSpeech)))
    return pause === null ? 'speaking' : 'paused'
  if (generation !== null && generation.runningToolCallIds.length > 0) return 'tool'
  return generation !== null || speech.length > 0 ? 'thinking' : 'idle'
}

/** Returns the caller's activity for display. */
function getUserActivity({ voice, turn }: TurnState): UserActivity {
  if (voice.isActive) return turn === null ? 'maybe-speaking' : 'speaking'
  return turn === null ? 'silent' : 'trailing'
}
