import { endCall } from './end-call.ts'
import { cancelGeneration } from './generations.ts'
import { isTurnSpeech } from './occupation.ts'
import { clearSpeech, settleSpeech } from './speech.ts'
import type { QueuedSpeech, TurnState } from './state.ts'
import { change, emit, note, type Step } from './step.ts'

const FIRST_SOUND_MS = 2_500
/** Sound that began comes faster than it is played. */
const REST_OF_SOUND_MS = 10_000
const OTHER_VOICES = 3
/** So many of the agent's last characters tell what it asked. */
const LONGEST_SAID = 400
/** So many turns in a row that nobody could hear or that had no answer end the call. */
export const FAILED_TURNS = 3

/** The first sound is there. */
export function onSpeechReady(step: Step, utteranceId: string): void {
  const speech = find(step.state, utteranceId)
  if (speech === undefined || speech.status !== 'asked') return
  replace(step, { ...speech, status: 'ready', waitsSinceMs: speech.waitsSinceMs === null ? null : step.nowMs })
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
  const { unsettled } = step.state
  change(step, {
    unsettled: unsettled === null ? null : { ...unsettled, wasHeard: true },
    lastSaid: { text: withClause(step.state.lastSaid, speech.text), endedAtMs: null, isSinceTurn: true },
  })
}

/** What the agent has said since the caller's turn: a question may stand before its reason. */
function withClause({ text, isSinceTurn }: TurnState['lastSaid'], clause: string): string {
  return (isSinceTurn ? `${text} ${clause}` : clause).slice(-LONGEST_SAID)
}

/** Its last frame was played. */
export function onPlayoutEnded(step: Step, utteranceId: string): void {
  const speech = find(step.state, utteranceId)
  // What has not begun cannot have ended: a late word of something else.
  if (speech === undefined || speech.status !== 'playing') return
  remove(step, utteranceId)
  if (isTurnSpeech(speech)) change(step, { lastSaid: { ...step.state.lastSaid, endedAtMs: step.nowMs } })
}

/** The first in the queue is waited for from the moment on that nothing stands before it. */
export function watchFirstSpeech(step: Step): void {
  const first = step.state.queue[0]
  if (first !== undefined && first.waitsSinceMs === null) replace(step, { ...first, waitsSinceMs: step.nowMs })
}

/** When speech that does not come is given to another voice. */
export function speechStallAtMs({ queue }: TurnState): number | undefined {
  const first = queue[0]
  if (first === undefined || first.isComplete || first.waitsSinceMs === null) return undefined
  return first.waitsSinceMs + (first.status === 'asked' ? FIRST_SOUND_MS : REST_OF_SOUND_MS)
}

/** The voice does not speak: the next one does, or nobody. */
export function onSpeechStall(step: Step): void {
  const first = step.state.queue[0]
  if (first === undefined) return
  if (first.otherVoices < OTHER_VOICES) {
    note(step, 'speech-stalled', 'The voice did not answer in time: the next one speaks.')
    emit(step, { type: 'speak-otherwise', utteranceId: first.utteranceId })
    replace(step, { ...first, otherVoices: first.otherVoices + 1, waitsSinceMs: step.nowMs })
    return
  }
  const { generation } = step.state
  const isLast = generation?.isLast === true
  note(step, 'speech-stalled', 'No voice answered in time: the agent stays silent.')
  clearSpeech(step)
  if (generation?.outcome === 'running' && !generation.hasSpoken) {
    // What could not be spoken was none of the answer: that may still be.
    settleSpeech(step, true)
    return
  }
  cancelGeneration(step)
  settleSpeech(step, true)
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
