import type { AgentActivity, UserActivity } from '../call-observer.ts'
import { endCall } from './end-call.ts'
import { watchLiveness } from './liveness.ts'
import { isTurnSpeech } from './occupation.ts'
import { doWhatWaited } from './on-control.ts'
import { FAILED_TURNS, watchFirstSpeech } from './on-playout.ts'
import { dropBackchannel } from './on-transcript.ts'
import { watchQuiet } from './quiet.ts'
import { settleSpeech } from './speech.ts'
import type { TurnState } from './state.ts'
import { change, emit, type Step } from './step.ts'
import { keepTimers } from './timers.ts'
import { commitWhatIsDone, speculate } from './user-turn.ts'

const DEAF_TURNS = 3

/** What follows from an event, whatever it was: turns that are over, timers, what is told. */
export function settle(step: Step): void {
  if (step.state.phase === 'live') dropBackchannel(step)
  finishAgentTurn(step)
  endIfHopeless(step)
  if (step.state.phase === 'live') {
    commitWhatIsDone(step)
    doWhatWaited(step)
    speculate(step)
  }
  if (step.state.phase === 'ended') return
  watchVoice(step)
  watchFirstSpeech(step)
  watchLiveness(step)
  watchQuiet(step)
  keepPlayout(step)
  keepTimers(step)
  tellActivity(step)
}

/** Everything of a reply was played: it goes into the history. */
function finishAgentTurn(step: Step): void {
  const { generation, queue, unsettled, ending, line } = step.state
  if (generation?.isLast === true && line === 'lost') {
    endCall(step, ending?.reason ?? 'agent_hangup')
    return
  }
  if (queue.some(isTurnSpeech) || generation?.outcome === 'running') return
  if (unsettled !== null) {
    settleSpeech(step, false)
    const hasFailed = unsettled.isFallback || !unsettled.wasHeard
    change(step, { failedTurns: hasFailed ? step.state.failedTurns + 1 : 0 })
  }
  if (generation !== null) change(step, { generation: null })
  if (ending !== null) endCall(step, ending.reason)
  else if (generation?.isLast === true) endCall(step, 'agent_hangup')
}

/** Nobody can be heard or understood any more. */
function endIfHopeless(step: Step): void {
  const { failedTurns, deafTurns, queue } = step.state
  if (failedTurns >= FAILED_TURNS && !queue.some(isTurnSpeech)) endCall(step, 'error_unknown')
  else if (deafTurns >= DEAF_TURNS) endCall(step, 'error_asr')
}

/** Voice that goes on after its words were taken has to be explained anew. */
function watchVoice(step: Step): void {
  const { voice, turn } = step.state
  if (!voice.isOn || turn !== null || voice.unexplainedSinceMs !== null) return
  change(step, { voice: { ...voice, unexplainedSinceMs: step.nowMs } })
}

/** The line is lost, or the agent has paused: nothing leaves. */
function keepPlayout(step: Step): void {
  const { pause, line, isPlayoutPaused, queue, generation, voice } = step.state
  if (pause !== null && queue.length === 0 && generation === null) change(step, { pause: null })
  else if (pause !== null && pause.resumeAtMs === null && !voice.isOn && voice.unexplainedSinceMs === null) {
    change(step, { pause: { ...pause, resumeAtMs: step.nowMs } })
  }
  const isPaused = step.state.pause !== null || line === 'lost'
  if (isPaused === isPlayoutPaused) return
  emit(step, { type: isPaused ? 'pause-playout' : 'resume-playout' })
  change(step, { isPlayoutPaused: isPaused })
}

function tellActivity(step: Step): void {
  const agent = agentActivity(step.state)
  const user = userActivity(step.state)
  const { told } = step.state
  if (agent === told.agent && user === told.user) return
  emit(step, { type: 'activity', agent, user })
  change(step, { told: { agent, user } })
}

/** What the agent does, as others see it. */
export function agentActivity({ queue, generation, pause, unsettled }: TurnState): AgentActivity {
  const speech = queue.filter(isTurnSpeech)
  const isPlaying = speech.some(({ status }) => status === 'playing')
  if (isPlaying || (speech.length > 0 && unsettled?.wasHeard === true)) return pause === null ? 'speaking' : 'paused'
  if (generation !== null && generation.tools.length > 0) return 'tool'
  return generation !== null || speech.length > 0 ? 'thinking' : 'idle'
}

/** What the caller does, as others see it. */
export function userActivity({ voice, turn }: TurnState): UserActivity {
  if (voice.isOn) return turn === null ? 'maybe-speaking' : 'speaking'
  return turn === null ? 'silent' : 'trailing'
}
