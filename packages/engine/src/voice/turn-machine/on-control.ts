import { isFinal } from './caller-turn.ts'
import type { Opening } from './events.ts'
import { dropSpeculation, startGeneration } from './generations.ts'
import { speakSystemText } from './speech.ts'
import { change, isAgentBusy, isCallerSilent, note, type Step } from './state.ts'

const MAX_PENDING_SAYS = 16

/** Speaks an external text once the caller is silent. */
export function onSay(step: Step, text: string, isInterruptible: boolean): void {
  const { pendingSays } = step.state
  if (text.trim() === '' || pendingSays.length >= MAX_PENDING_SAYS) return
  change(step, { pendingSays: [...pendingSays, { text, isInterruptible }] })
}

/** Handles information that was injected for the agent. */
export function onInject(step: Step, respond: boolean): void {
  dropSpeculation(step, 'Information was injected.')
  if (respond) change(step, { isInjected: true })
}

/** Speaks and answers pending input once both sides are silent. */
export function processPendingInput(step: Step): void {
  const { pendingSays } = step.state
  const canSpeak = step.state.turn === null && !step.state.voice.isOn
  if (pendingSays.length > 0 && canSpeak) {
    change(step, { pendingSays: [] })
    for (const { text, isInterruptible } of pendingSays) speakSystemText(step, 'say', text, isInterruptible)
  }
  if (!step.state.isInjected || isAgentBusy(step.state) || !isCallerSilent(step.state)) return
  change(step, { isInjected: false })
  // The injected answer also replaces a reply that was canceled without need, including the reply's retries.
  const pendingReply = step.state.canceled ?? { answers: 'injected', turn: null }
  startGeneration(step, { input: { type: 'injected' }, answers: pendingReply.answers, turn: pendingReply.turn })
}

/** Handles a lost connection: nothing is heard, and running work continues. */
export function onConnectionLost(step: Step): void {
  const { voice } = step.state
  change(step, { connection: 'lost', voice: { ...voice, isOn: false, untranscribedSinceMs: null } })
}

export function onConnectionRestored(step: Step): void {
  change(step, { connection: 'up' })
}

/** Handles a change of transcriber: the next one took over, or none is left. */
export function onTranscriberStatus(step: Step, status: 'replaced' | 'gone' | 'none'): void {
  const { transcriber } = step.state
  if (status === 'replaced') restartTranscription(step)
  else if (status === 'none' && transcriber !== 'none') ignoreVoice(step)
  else if (status === 'gone' && transcriber === 'listening') {
    change(step, { transcriber: 'gone' })
    note(step, 'no-ears', 'Speech recognition unavailable.')
  }
}

function restartTranscription(step: Step): void {
  const { turn, voice, consumedAtMs, startedAtMs } = step.state
  const isUnconsumed = voice.lastAtMs > (consumedAtMs ?? startedAtMs)
  change(step, {
    transcriber: 'listening',
    turn: turn === null || isFinal(turn) ? turn : { ...turn, retranscribingSinceMs: step.nowMs },
    voice: { ...voice, retranscribingSinceMs: turn === null && isUnconsumed ? step.nowMs : null },
  })
}

/** Ignores voice until words arrive, because speech is not being recognized. */
function ignoreVoice(step: Step): void {
  const { voice } = step.state
  change(step, {
    transcriber: 'none',
    voice: { ...voice, isOn: false, untranscribedSinceMs: null, retranscribingSinceMs: null },
  })
  note(step, 'no-ears', 'Speech recognition unavailable; the caller is typing.')
}

/** Retry delay while either side is speaking. */
const OPENING_RETRY_MS = 500

/** Starts the connected call. Further `joined` events are ignored. */
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
      action: isListening ? { type: 'listen' } : opening,
      dueAtMs: afterMs === null ? null : step.nowMs + afterMs,
    },
  })
  if (!isListening && afterMs === 0) openCall(step)
}

/** Opens the call, unless the caller has already done so. */
export function openCall(step: Step): void {
  const { opening, voice, turn } = step.state
  if (opening === null) return
  if (voice.isOn || turn !== null || isAgentBusy(step.state)) {
    change(step, { opening: { ...opening, dueAtMs: step.nowMs + OPENING_RETRY_MS } })
    return
  }
  change(step, { opening: null })
  if (opening.action.type === 'say') speakSystemText(step, 'opening', opening.action.text)
  else startGeneration(step, { input: { type: 'open' }, answers: 'open', turn: null })
}
