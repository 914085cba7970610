import { endCall } from './end-call.ts'
import { cancelGeneration } from './generations.ts'
import { clearSpeech, commitSpeech } from './speech.ts'
import type { QueuedSpeech, TurnState } from './state.ts'
import { change, emit, note, type Step } from './step.ts'
import { isTurnSpeech } from './turn-conditions.ts'

const FIRST_AUDIO_MS = 2_500
/** Sound that began comes faster than it is played. */
const REMAINING_AUDIO_MS = 10_000
const MAX_VOICE_SWITCHES = 3
/** So many of the agent's last characters tell what it asked. */
const MAX_LAST_SPOKEN_LENGTH = 400
/** So many turns in a row that nobody could hear or that had no answer end the call. */
export const MAX_FAILED_TURNS = 3

/** The first sound is there. */
export function onSpeechReady(step: Step, utteranceId: string): void {
  const speech = find(step.state, utteranceId)
  if (speech === undefined || speech.status !== 'asked') return
  replace(step, { ...speech, status: 'ready', waitingSinceMs: speech.waitingSinceMs === null ? null : step.nowMs })
}

/** All sound is there. */
export function onSpeechComplete(step: Step, utteranceId: string): void {
  const speech = find(step.state, utteranceId)
  if (speech !== undefined) replace(step, { ...speech, isComplete: true })
}

/** No voice could speak it: the conversation goes on without it. */
export function onSpeechFailed(step: Step, utteranceId: string): void {
  const speech = find(step.state, utteranceId)
  if (speech === undefined) return
  note(step, 'speech-stalled', 'No voice could speak a part of what the agent said.')
  remove(step, utteranceId)
}

/** Its first frame has left. */
export function onPlayoutStarted(step: Step, utteranceId: string): void {
  const speech = find(step.state, utteranceId)
  if (speech === undefined || speech.status === 'playing') return
  replace(step, { ...speech, status: 'playing' })
  if (!isTurnSpeech(speech)) return
  const { uncommitted } = step.state
  change(step, {
    uncommitted: uncommitted === null ? null : { ...uncommitted, wasPlayed: true },
    lastSpoken: { text: withClause(step.state.lastSpoken, speech.text), endedAtMs: null, isSinceLastTurn: true },
  })
}

/** What the agent has said since the caller's turn: a question may stand before its reason. */
function withClause({ text, isSinceLastTurn }: TurnState['lastSpoken'], clause: string): string {
  return (isSinceLastTurn ? `${text} ${clause}` : clause).slice(-MAX_LAST_SPOKEN_LENGTH)
}

/** Its last frame was played. */
export function onPlayoutEnded(step: Step, utteranceId: string): void {
  const speech = find(step.state, utteranceId)
  // What has not begun cannot have ended: a late word of something else.
  if (speech === undefined || speech.status !== 'playing') return
  remove(step, utteranceId)
  if (isTurnSpeech(speech)) change(step, { lastSpoken: { ...step.state.lastSpoken, endedAtMs: step.nowMs } })
}

/** The first in the queue is waited for from the moment on that nothing stands before it. */
export function watchFirstSpeech(step: Step): void {
  const first = step.state.queue[0]
  if (first !== undefined && first.waitingSinceMs === null) replace(step, { ...first, waitingSinceMs: step.nowMs })
}

/** When speech that does not come is given to another voice. */
export function speechStallAtMs({ queue }: TurnState): number | undefined {
  const first = queue[0]
  if (first === undefined || first.isComplete || first.waitingSinceMs === null) return undefined
  return first.waitingSinceMs + (first.status === 'asked' ? FIRST_AUDIO_MS : REMAINING_AUDIO_MS)
}

/** The voice does not speak: the next one does, or nobody. */
export function onSpeechStall(step: Step): void {
  const first = step.state.queue[0]
  if (first === undefined) return
  if (first.voiceSwitches < MAX_VOICE_SWITCHES) {
    note(step, 'speech-stalled', 'The voice did not answer in time: the next one speaks.')
    emit(step, { type: 'switch-voice', utteranceId: first.utteranceId })
    replace(step, { ...first, voiceSwitches: first.voiceSwitches + 1, waitingSinceMs: step.nowMs })
    return
  }
  const { generation } = step.state
  const isLast = generation?.isLast === true
  note(step, 'speech-stalled', 'No voice answered in time: the agent stays silent.')
  clearSpeech(step)
  if (generation?.outcome === 'running' && !generation.hasSpoken) {
    // What could not be spoken was none of the answer: that may still be.
    commitSpeech(step, true)
    return
  }
  cancelGeneration(step)
  commitSpeech(step, true)
  change(step, { failedTurns: step.state.failedTurns + 1 })
  if (isLast) endCall(step, 'agent_hangup')
}

function find(state: TurnState, utteranceId: string): QueuedSpeech | undefined {
  return state.queue.find((speech) => speech.utteranceId === utteranceId)
}

function replace(step: Step, speech: QueuedSpeech): void {
  const { queue } = step.state
  change(step, { queue: queue.map((one) => (one.utteranceId === speech.utteranceId ? speech : one)) })
}

function remove(step: Step, utteranceId: string): void {
  change(step, { queue: step.state.queue.filter((speech) => speech.utteranceId !== utteranceId) })
}
