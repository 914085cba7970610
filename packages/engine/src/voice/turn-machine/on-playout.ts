import { endCall } from './end-call.ts'
import { cancelGeneration } from './generations.ts'
import { clearSpeech, commitSpeech } from './speech.ts'
import { change, emit, isTurnSpeech, note, type QueuedSpeech, type Step, type TurnState } from './state.ts'

const FIRST_AUDIO_MS = 2_500
/** Stall limit for remaining audio, which arrives faster than it plays. */
const REMAINING_AUDIO_MS = 10_000
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

/** Records that all audio of an utterance is ready. */
export function onSpeechComplete(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  if (speech !== undefined) replaceSpeech(step, { ...speech, isComplete: true })
}

/** Handles speech that no voice could synthesize. The conversation continues without it. */
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
  const { uncommitted } = step.state
  change(step, {
    uncommitted: uncommitted === null ? null : { ...uncommitted, wasPlayed: true },
    lastSpoken: { text: appendClause(step.state.lastSpoken, speech.text), endedAtMs: null, isSinceLastTurn: true },
  })
}

/** Appends a clause to the agent's speech since the user turn, because a question may precede its reason. */
function appendClause({ text, isSinceLastTurn }: TurnState['lastSpoken'], clause: string): string {
  return (isSinceLastTurn ? `${text} ${clause}` : clause).slice(-MAX_LAST_SPOKEN_LENGTH)
}

/** Handles the end of an utterance's playback. */
export function onPlayoutEnded(step: Step, utteranceId: string): void {
  const speech = findSpeech(step.state, utteranceId)
  // Ignore late events for utterances that have not started.
  if (speech === undefined || speech.status !== 'playing') return
  removeSpeech(step, utteranceId)
  if (isTurnSpeech(speech)) change(step, { lastSpoken: { ...step.state.lastSpoken, endedAtMs: step.nowMs } })
}

/** Starts an utterance's clock once the utterance is first in the queue. */
export function watchFirstSpeech(step: Step): void {
  const firstSpeech = step.state.queue[0]
  if (firstSpeech !== undefined && firstSpeech.waitingSinceMs === null)
    replaceSpeech(step, { ...firstSpeech, waitingSinceMs: step.nowMs })
}

/** Returns the time to switch voices because speech does not arrive, or `undefined` for never. */
export function getSpeechStallAtMs({ queue }: TurnState): number | undefined {
  const firstSpeech = queue[0]
  if (firstSpeech === undefined || firstSpeech.isComplete || firstSpeech.waitingSinceMs === null) return undefined
  return firstSpeech.waitingSinceMs + (firstSpeech.status === 'requested' ? FIRST_AUDIO_MS : REMAINING_AUDIO_MS)
}

/** Switches to the next voice, or gives up if there is none. */
export function onSpeechStall(step: Step): void {
  const firstSpeech = step.state.queue[0]
  if (firstSpeech === undefined) return
  if (firstSpeech.voiceSwitches < MAX_VOICE_SWITCHES) {
    note(step, 'speech-stalled', 'The voice did not respond in time; switched to the next voice.')
    emit(step, { type: 'switch-voice', utteranceId: firstSpeech.utteranceId })
    replaceSpeech(step, { ...firstSpeech, voiceSwitches: firstSpeech.voiceSwitches + 1, waitingSinceMs: step.nowMs })
    return
  }
  const { generation } = step.state
  const isLast = generation?.isLast === true
  note(step, 'speech-stalled', 'No voice responded in time; the agent stays silent.')
  clearSpeech(step)
  if (generation?.outcome === 'running' && !generation.hasSpoken) {
    // The failed speech was not part of the answer, which may still arrive.
    commitSpeech(step, true)
    return
  }
  cancelGeneration(step)
  commitSpeech(step, true)
  change(step, { failedTurns: step.state.failedTurns + 1 })
  if (isLast) endCall(step, 'agent_hangup')
}

function findSpeech(state: TurnState, utteranceId: string): QueuedSpeech | undefined {
  return state.queue.find((speech) => speech.utteranceId === utteranceId)
}

function replaceSpeech(step: Step, speech: QueuedSpeech): void {
  const { queue } = step.state
  change(step, { queue: queue.map((item) => (item.utteranceId === speech.utteranceId ? speech : item)) })
}

function removeSpeech(step: Step, utteranceId: string): void {
  change(step, { queue: step.state.queue.filter((speech) => speech.utteranceId !== utteranceId) })
}
