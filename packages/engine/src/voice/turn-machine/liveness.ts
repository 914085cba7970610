import { canRetry, getLivenessStep } from './deciders.ts'
import { endCall } from './end-call.ts'
import { cancelGeneration, retryGeneration, speakFallback, startGeneration } from './generations.ts'
import { getSystemPhrases, speakNextPhrase } from './speech.ts'
import { change, isAgentAudible, isAgentBusy, isCallerSilent, note, type Step, type TurnState } from './state.ts'

/** Interval between fillers while a tool runs. */
export const NEXT_TOOL_LINE_MS = 10_000
const TOOL_LINE_RETRY_MS = 1_000

/** Whether the caller is waiting for an answer that has no queued words and no running tool. */
function isAwaited({ generation, queue }: TurnState): boolean {
  if (generation?.outcome !== 'running' || generation.tools.length > 0) return false
  return !queue.some(({ kind }) => kind === 'reply' || kind === 'fallback')
}

/** Starts and stops an answer's clock. Retries keep the clock running. */
export function watchLiveness(step: Step): void {
  const { liveness } = step.state
  if (!isAwaited(step.state)) {
    if (liveness !== null) change(step, { liveness: null })
  } else if (liveness === null) change(step, { liveness: { startedAtMs: step.nowMs, stepsTaken: 0 } })
}

/** Returns the time to act on a missing answer, or `undefined` if none is missing. */
export function getLivenessAtMs({ liveness }: TurnState): number | undefined {
  if (liveness === null) return undefined
  const next = getLivenessStep(liveness.stepsTaken)
  return next === null ? undefined : liveness.startedAtMs + next.afterMs
}

/** Handles a missing answer with a filler, the next model or the fallback sentence. */
export function onLiveness(step: Step): void {
  const { liveness, generation } = step.state
  const next = liveness === null ? null : getLivenessStep(liveness.stepsTaken)
  if (liveness === null || generation === null || next === null) return
  change(step, { liveness: { ...liveness, stepsTaken: liveness.stepsTaken + 1 } })
  if (generation.isLast) {
    endCall(step, step.state.ending?.reason ?? 'agent_hangup')
    return
  }
  note(step, 'model-stalled', `No answer for ${next.afterMs / 1_000} seconds.`)
  const { turn, voice, queue } = step.state
  if (next.step === 'filler') {
    const isQuiet = turn === null && !voice.isOn && queue.length === 0
    if (generation.answers === 'user' && isQuiet) speakNextPhrase(step, 'filler', getSystemPhrases(step.state).fillers)
    return
  }
  // A partly heard answer is not repeated.
  if (next.step === 'next-attempt' && !generation.hasSpoken) {
    if (!canRetry(generation.attempt, step.nowMs - generation.startedAtMs)) return
    cancelGeneration(step)
    retryGeneration(step, generation)
    return
  }
  cancelGeneration(step)
  speakFallback(step, generation)
}

/** Speaks a filler while a tool runs. */
export function onToolLine(step: Step): void {
  const { generation, turn, voice, queue } = step.state
  if (generation === null || generation.tools.length === 0) return
  const isQuiet = turn === null && !voice.isOn && queue.length === 0 && !isAgentAudible(step.state)
  change(step, { toolLineAtMs: step.nowMs + (isQuiet ? NEXT_TOOL_LINE_MS : TOOL_LINE_RETRY_MS) })
  if (isQuiet) speakNextPhrase(step, 'tool-line', getSystemPhrases(step.state).waits)
}

/**
 * Tracks silence on both sides for reminders and the silence limit. The clocks stop while the agent thinks, speaks or waits for
 * a tool.
 */
export function trackSilence(step: Step): void {
  const { quiet, silenceMs } = step.state
  const isQuietNow = isQuiet(step.state)
  if (isQuietNow && quiet === null) change(step, { quiet: { startedAtMs: step.nowMs } })
  if (isQuietNow || quiet === null) return
  change(step, { quiet: null, silenceMs: silenceMs + step.nowMs - quiet.startedAtMs })
}

function isQuiet(state: TurnState): boolean {
  if (state.phase !== 'live' || !isCallerSilent(state)) return false
  const isOpening = state.opening !== null && state.opening.action.type !== 'listen'
  return state.connection === 'lost' || (!isAgentBusy(state) && !isOpening)
}

/** Returns the time to remind the caller, or `undefined` for no reminder. */
export function getReminderAtMs({ quiet, connection, reminders, settings }: TurnState): number | undefined {
  if (quiet === null || connection === 'lost' || reminders >= settings.reminderMaxCount) return undefined
  return quiet.startedAtMs + settings.reminderTriggerMs
}

/** Returns the time at which silence ends the call, or `undefined` for never. */
export function getSilenceAtMs({ quiet, silenceMs, settings }: TurnState): number | undefined {
  return quiet === null ? undefined : quiet.startedAtMs + Math.max(0, settings.endCallAfterSilenceMs - silenceMs)
}

/** Reminds a silent caller. */
export function onReminder(step: Step): void {
  note(step, 'reminder', 'The caller was silent for a while.')
  change(step, { reminders: step.state.reminders + 1, opening: null })
  startGeneration(step, { input: { type: 'remind' }, answers: 'remind', turn: null })
}
