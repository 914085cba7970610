import { endCall } from './end-call.ts'
import { cancelGeneration } from './generations.ts'
import { clearSpeech, commitSpeech } from './speech.ts'
import { emit, isTurnSpeech, note, type QueuedSpeech, type Step, type TurnState, update } from './state.ts'

const FIRST_AUDIO_TIMEOUT_MS = 2_500
/** Timeout for the remaining audio. */
const REMAINING_AUDIO_TIMEOUT_MS = 10_000
const MAX_VOICE_SWITCHES = 3
/** Number of characters of the agent's last speech to keep for detecting questions. */
const MAX_LAST_SPOKEN_LENGTH = 400
/** Number of consecutive unheard or unanswered turns that end the call. */
export const MAX_FAILED_TURNS = 3

/** Handles an utterance's first audio. */
export function onSpeechReady(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  if (speech === undefined || speech.status !== 'requested') return
  replaceSpeech(step, {
    ...speech,
    status: 'ready',
    waitingSinceMs: speech.waitingSinceMs === null ? null : step.nowMs,
  })
}

/** Gives the next voice of an utterance the full time, because the previous one has failed. */
export function onSpeechRestarted(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  if (speech !== undefined && speech.waitingSinceMs !== null)
    replaceSpeech(step, { ...speech, waitingSinceMs: step.nowMs })
}

/** Records that all audio of an utterance is ready. */
export function onSpeechComplete(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  if (speech !== undefined) replaceSpeech(step, { ...speech, isComplete: true })
}

/** Drops an utterance that no voice could synthesize. */
export function onSpeechFailed(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  if (speech === undefined) return
  note(step, 'speech-stalled', 'No voice could synthesize part of the answer.')
  removeSpeech(step, utteranceId)
}

/** Handles an utterance's first sent frame. */
export function onPlayoutStarted(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  if (speech === undefined || speech.status === 'playing') return
  replaceSpeech(step, { ...speech, status: 'playing' })
  if (!isTurnSpeech(speech)) return
  const { uncommittedSpeech } = step.state
  update(step, {
    uncommittedSpeech:
      uncommittedSpeech === null
        ? null
        : { ...uncommittedSpeech, playedSinceMs: uncommittedSpeech.playedSinceMs ?? step.nowMs },
    lastSpeech: { text: appendClause(step.state.lastSpeech, speech.text), endedAtMs: null, isSinceLastTurn: true },
  })
}

/** Appends a clause to the agent's speech since the last user turn. An explanation may follow a question. */
function appendClause({ text, isSinceLastTurn }: TurnState['lastSpeech'], clause: string): string {
  return (isSinceLastTurn ? `${text} ${clause}` : clause).slice(-MAX_LAST_SPOKEN_LENGTH)
}

/** Handles the end of an utterance's playback. */
export function onPlayoutEnded(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  // Ignore late events for utterances that have not started.
  if (speech === undefined || speech.status !== 'playing') return
  removeSpeech(step, utteranceId)
  if (isTurnSpeech(speech)) update(step, { lastSpeech: { ...step.state.lastSpeech, endedAtMs: step.nowMs } })
}

/** Starts the stall timer of an utterance that has become first in the queue. */
export function startSpeechStallTimer(step: Step): void {
  const firstSpeech = step.state.queue[0]
  if (firstSpeech !== undefined && firstSpeech.waitingSinceMs === null)
    replaceSpeech(step, { ...firstSpeech, waitingSinceMs: step.nowMs })
}

/** Returns the time to switch voices because speech does not arrive, or `undefined` for never. */
export function getSpeechStallAtMs({ queue }: TurnState): number | undefined {
  const firstSpeech = queue[0]
  if (firstSpeech === undefined || firstSpeech.isComplete || firstSpeech.waitingSinceMs === null) return undefined
  return (
    firstSpeech.waitingSinceMs +
    (firstSpeech.status === 'requested' ? FIRST_AUDIO_TIMEOUT_MS : REMAINING_AUDIO_TIMEOUT_MS)
  )
}

/** Switches to the next voice, or gives up if there is none. */
export function onSpeechStall(step: Step): void {
  const firstSpeech = step.state.queue[0]
  if (firstSpeech === undefined) return
  if (firstSpeech.voiceSwitchCount < MAX_VOICE_SWITCHES) {
    note(step, 'speech-stalled', 'The voice did not respond in time; the next voice replaces it, if there is one.')
    emit(step, { type: 'switch-voice', utteranceId: firstSpeech.utteranceId })
    replaceSpeech(step, {
      ...firstSpeech,
      voiceSwitchCount: firstSpeech.voiceSwitchCount + 1,
      waitingSinceMs: step.nowMs,
    })
    return
  }
  const { generation } = step.state
  const isLast = generation?.isLast === true
  note(step, 'speech-stalled', 'No voice responded in time; the agent stays silent.')
  clearSpeech(step)
  if (generation?.status === 'running' && !generation.hasSpoken) {
    // The failed speech was not part of the answer, which may still arrive.
    commitSpeech(step, true)
    return
  }
  cancelGeneration(step)
  commitSpeech(step, true)
  update(step, { failedTurnCount: step.state.failedTurnCount + 1 })
  if (isLast) endCall(step, 'agent_hangup')
}

function findSpeech(state: TurnState, utteranceId: string): QueuedSpeech | undefined {
  return state.queue.find((speech) => speech.utteranceId === utteranceId)
}

function replaceSpeech(step: Step, speech: QueuedSpeech): void {
  const { queue } = step.state
  update(step, { queue: queue.map((item) => (item.utteranceId === speech.utteranceId ? speech : item)) })
}

function removeSpeech(step: Step, utteranceId: string): void {
  update(step, { queue: step.state.queue.filter((speech) => speech.utteranceId !== utteranceId) })
}
