import { endCall } from './end-call.ts'
import { startGeneration } from './generations.ts'
import type { TurnState } from './state.ts'
import { change, note, type Step } from './step.ts'
import { isAgentBusy, isCallerSilent } from './turn-conditions.ts'

/**
 * Silence of both sides. Only this counts for reminders and for the limit of silence: while the agent thinks, speaks or waits for
 * a tool, the clocks stand still.
 */
export function watchQuiet(step: Step): void {
  const { quiet, silenceMs } = step.state
  const isQuietNow = isQuiet(step.state)
  if (isQuietNow && quiet === null) change(step, { quiet: { sinceMs: step.nowMs } })
  if (isQuietNow || quiet === null) return
  change(step, { quiet: null, silenceMs: silenceMs + step.nowMs - quiet.sinceMs })
}

function isQuiet(state: TurnState): boolean {
  if (state.phase !== 'live' || !isCallerSilent(state)) return false
  const isOpening = state.opening !== null && state.opening.how.type !== 'listen'
  return state.connection === 'lost' || (!isAgentBusy(state) && !isOpening)
}

/** When the caller is reminded. */
export function reminderAtMs({ quiet, connection, reminders, settings }: TurnState): number | undefined {
  if (quiet === null || connection === 'lost' || reminders >= settings.reminderMaxCount) return undefined
  return quiet.sinceMs + settings.reminderTriggerMs
}

/** When the silence ends the call. */
export function silenceAtMs({ quiet, silenceMs, settings }: TurnState): number | undefined {
  return quiet === null ? undefined : quiet.sinceMs + Math.max(0, settings.endCallAfterSilenceMs - silenceMs)
}

/** The caller has been silent: the agent says something. */
export function onReminder(step: Step): void {
  note(step, 'reminder', 'The caller was silent for a while.')
  change(step, { reminders: step.state.reminders + 1, opening: null })
  startGeneration(step, { input: { type: 'remind' }, answers: 'remind', turn: null })
}

/** The caller has been silent for too long. */
export function onSilence(step: Step): void {
  endCall(step, 'inactivity')
}
