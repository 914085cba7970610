import { canRetry, getReplyTimeoutAction } from './decision-rules.ts'
import { endCall } from './end-call.ts'
import { cancelGeneration, retryGeneration, speakFallback, startGeneration } from './generations.ts'
import { getSystemPhrases, speakNextPhrase } from './speech.ts'
import { isAgentAudible, isAgentBusy, isCallerSilent, note, type Step, type TurnState, update } from './state.ts'

/** Interval between fillers while a tool runs. */
export const TOOL_FILLER_INTERVAL_MS = 10_000
const TOOL_FILLER_RETRY_MS = 1_000

/** Whether the caller is waiting for an answer that has no queued words and no running tool. */
function isAwaited({ generation, queue }: TurnState): boolean {
  if (generation?.status !== 'running' || generation.runningToolCallIds.length > 0) return false
  return !queue.some(({ kind }) => kind === 'reply' || kind === 'fallback')
}

/** Records when the caller started to wait for an answer. Retries keep the start time. */
export function trackReplyWait(step: Step): void {
  const { replyWait } = step.state
  if (!isAwaited(step.state)) {
    if (replyWait !== null) update(step, { replyWait: null })
  } else if (replyWait === null) update(step, { replyWait: { startedAtMs: step.nowMs, actionsTaken: 0 } })
}

/** Returns the time to act on a late answer, or `undefined` if no answer is awaited. */
export function getReplyTimeoutAtMs({ replyWait }: TurnState): number | undefined {
  if (replyWait === null) return undefined
  const timeout = getReplyTimeoutAction(replyWait.actionsTaken)
  return timeout === null ? undefined : replyWait.startedAtMs + timeout.afterMs
}

/** Handles a late answer with a filler, the next model or the fallback sentence. */
export function onReplyTimeout(step: Step): void {
  const { replyWait, generation } = step.state
  const timeout = replyWait === null ? null : getReplyTimeoutAction(replyWait.actionsTaken)
  if (replyWait === null || generation === null || timeout === null) return
  update(step, { replyWait: { ...replyWait, actionsTaken: replyWait.actionsTaken + 1 } })
  if (generation.isLast) {
    endCall(step, step.state.pendingEnd?.reason ?? 'agent_hangup')
    return
  }
  note(step, 'model-stalled', `No answer for ${timeout.afterMs / 1_000} seconds.`)
  const { turn, voice, queue } = step.state
  if (timeout.action === 'filler') {
    const canSpeakFiller = turn === null && !voice.isActive && queue.length === 0
    if (generation.inputType === 'user' && canSpeakFiller)
      speakNextPhrase(step, 'filler', getSystemPhrases(step.state).fillers)
    return
  }
  // A partly heard answer is not repeated.
  if (timeout.action === 'next-attempt' && !generation.hasSpoken) {
    if (!canRetry(generation.attempt, step.nowMs - generation.startedAtMs)) return
    cancelGeneration(step)
    retryGeneration(step, generation)
    return
  }
  cancelGeneration(step)
  speakFallback(step, generation)
}

/** Speaks a filler while a tool runs. */
export function onToolFiller(step: Step): void {
  const { generation, turn, voice, queue } = step.state
  if (generation === null || generation.runningToolCallIds.length === 0) return
  const canSpeakFiller = turn === null && !voice.isActive && queue.length === 0 && !isAgentAudible(step.state)
  update(step, { toolFillerAtMs: step.nowMs + (canSpeakFiller ? TOOL_FILLER_INTERVAL_MS : TOOL_FILLER_RETRY_MS) })
  if (canSpeakFiller) speakNextPhrase(step, 'tool-line', getSystemPhrases(step.state).toolFillers)
}

/**
 * Tracks silence on both sides for reminders and the silence limit. The time in which the agent thinks, speaks or waits for a
 * tool does not count.
 */
export function trackSilence(step: Step): void {
  const { silence, previousSilenceMs } = step.state
  const isSilentNow = isSilent(step.state)
  if (isSilentNow && silence === null) update(step, { silence: { startedAtMs: step.nowMs } })
  if (isSilentNow || silence === null) return
  update(step, { silence: null, previousSilenceMs: previousSilenceMs + step.nowMs - silence.startedAtMs })
}

function isSilent(state: TurnState): boolean {
  if (state.phase !== 'live' || !isCallerSilent(state)) return false
  const isOpening = state.opening !== null && state.opening.action.type !== 'listen'
  return state.connection === 'lost' || (!isAgentBusy(state) && !isOpening)
}

/** Returns the time to remind the caller, or `undefined` for no reminder. */
export function getReminderAtMs({ silence, connection, reminderCount, settings }: TurnState): number | undefined {
  if (silence === null || connection === 'lost' || reminderCount >= settings.reminderMaxCount) return undefined
  return silence.startedAtMs + settings.reminderTriggerMs
}

/** Returns the time at which silence ends the call, or `undefined` for never. */
export function getSilenceAtMs({ silence, previousSilenceMs, settings }: TurnState): number | undefined {
  return silence === null
    ? undefined
    : silence.startedAtMs + Math.max(0, settings.endCallAfterSilenceMs - previousSilenceMs)
}

/** Reminds a silent caller. */
export function onReminder(step: Step): void {
  note(step, 'reminder', 'The caller was silent for a while.')
  update(step, { reminderCount: step.state.reminderCount + 1, opening: null })
  startGeneration(step, { input: { type: 'remind' }, inputType: 'remind', turnNumber: null })
}
