import type { Opening } from './events.ts'
import { startGeneration } from './generations.ts'
import { speakSystemText } from './speech.ts'
import { change, type Step } from './step.ts'
import { isAgentBusy } from './turn-conditions.ts'

/** Who speaks at the moment is let finish before the agent opens. */
const OPENING_RETRY_MS = 500

/** The line stands. Only the first time begins the call. */
export function onJoined(step: Step, opening: Opening): void {
  const { settings, phase } = step.state
  if (phase !== 'waiting') return
  const isListening = opening.type === 'listen' || (opening.type === 'say' && opening.text.trim() === '')
  const afterMs = isListening ? settings.beginAfterUserSilenceMs : settings.beginMessageDelayMs
  change(step, {
    phase: 'live',
    startedAtMs: step.nowMs,
    voice: { ...step.state.voice, lastAtMs: step.nowMs },
    opening: {
      how: isListening ? { type: 'listen' } : opening,
      dueAtMs: afterMs === null ? null : step.nowMs + afterMs,
    },
  })
  if (!isListening && afterMs === 0) openCall(step)
}

/** The agent opens the call, once, unless the caller has done so. */
export function openCall(step: Step): void {
  const { opening, voice, turn } = step.state
  if (opening === null) return
  if (voice.isOn || turn !== null || isAgentBusy(step.state)) {
    change(step, { opening: { ...opening, dueAtMs: step.nowMs + OPENING_RETRY_MS } })
    return
  }
  change(step, { opening: null })
  if (opening.how.type === 'say') speakSystemText(step, 'opening', opening.how.text)
  else startGeneration(step, { input: { type: 'open' }, answers: 'open', turn: null })
}
