import { hasFinalText } from './caller-turn.ts'
import type { Opening } from './events.ts'
import { dropSpeculation, startGeneration } from './generations.ts'
import { speakSystemText } from './speech.ts'
import { isAgentBusy, isCallerSilent, note, type Step, update } from './state.ts'

const MAX_PENDING_SAYS = 16

/** Queues a text to speak once the caller is silent. */
export function onSay(step: Step, text: string, isInterruptible: boolean): void {
  const { pendingSayTexts } = step.state
  if (text.trim() === '' || pendingSayTexts.length >= MAX_PENDING_SAYS) return
  update(step, { pendingSayTexts: [...pendingSayTexts, { text, isInterruptible }] })
}

/** Handles injected context. */
export function onInject(step: Step, respond: boolean): void {
  dropSpeculation(step, 'Information was injected.')
  if (respond) update(step, { isInjectionPending: true })
}

/** Speaks pending texts once the caller is silent, and answers injected context once both sides are silent. */
export function processPendingInput(step: Step): void {
  const { pendingSayTexts } = step.state
  const canSpeak = step.state.turn === null && !step.state.voice.isActive
  if (pendingSayTexts.length > 0 && canSpeak) {
    update(step, { pendingSayTexts: [] })
    for (const { text, isInterruptible } of pendingSayTexts) speakSystemText(step, 'say', text, isInterruptible)
  }
  if (!step.state.isInjectionPending || isAgentBusy(step.state) || !isCallerSilent(step.state)) return
  update(step, { isInjectionPending: false })
  // The answer also replaces a reply that an interruption canceled.
  const pendingReply = step.state.canceledReply ?? { inputType: 'injected', turnNumber: null }
  startGeneration(step, {
    input: { type: 'injected' },
    inputType: pendingReply.inputType,
    turnNumber: pendingReply.turnNumber,
  })
}

/** Handles a lost connection. The caller is no longer heard, but generations and tools continue. */
export function onConnectionLost(step: Step): void {
  const { voice } = step.state
  update(step, { connection: 'lost', voice: { ...voice, isActive: false, untranscribedSinceMs: null } })
}

export function onConnectionRestored(step: Step): void {
  update(step, { connection: 'up' })
}

/** Handles a change in the transcriber's status. */
export function onTranscriberStatus(step: Step, status: 'replaced' | 'gone' | 'none'): void {
  const { transcriberStatus } = step.state
  if (status === 'replaced') restartTranscription(step)
  else if (status === 'none' && transcriberStatus !== 'none') ignoreVoice(step)
  else if (status === 'gone' && transcriberStatus === 'listening') {
    update(step, { transcriberStatus: 'gone' })
    note(step, 'no-ears', 'Speech recognition unavailable.')
  }
}

function restartTranscription(step: Step): void {
  const { turn, voice, consumedAtMs, startedAtMs } = step.state
  const isUnconsumed = voice.lastActiveAtMs > (consumedAtMs ?? startedAtMs)
  update(step, {
    transcriberStatus: 'listening',
    textDelays: { isStreaming: false, firstMs: null, finalMs: null },
    turn: turn === null || hasFinalText(turn) ? turn : { ...turn, retranscribingSinceMs: step.nowMs },
    voice: { ...voice, retranscribingSinceMs: turn === null && isUnconsumed ? step.nowMs : null },
  })
}

/** Ignores voice until words arrive, because speech is not being recognized. */
function ignoreVoice(step: Step): void {
  const { voice } = step.state
  update(step, {
    transcriberStatus: 'none',
    voice: { ...voice, isActive: false, untranscribedSinceMs: null, retranscribingSinceMs: null },
  })
  note(step, 'no-ears', 'Speech recognition unavailable; the caller is typing.')
}

/** Retry delay while either side is speaking. */
const OPENING_RETRY_MS = 500

/** Starts the connected call. Further `joined` events are ignored. */
export function onJoined(step: Step, opening: Opening): void {
  const { settings, phase } = step.state
  if (phase !== 'waiting') return
  const isUserFirst = opening.type === 'listen' || (opening.type === 'say' && opening.text.trim() === '')
  const delayMs = isUserFirst ? settings.beginAfterUserSilenceMs : settings.beginMessageDelayMs
  update(step, {
    phase: 'live',
    startedAtMs: step.nowMs,
    voice: { ...step.state.voice, lastActiveAtMs: step.nowMs },
    opening: {
      action: isUserFirst ? { type: 'listen' } : opening,
      dueAtMs: delayMs === null ? null : step.nowMs + delayMs,
    },
  })
  if (!isUserFirst && delayMs === 0) openCall(step)
}

/** Opens the call, unless the caller has already done so. */
export function openCall(step: Step): void {
  const { opening, voice, turn } = step.state
  if (opening === null) return
  if (voice.isActive || turn !== null || isAgentBusy(step.state)) {
    update(step, { opening: { ...opening, dueAtMs: step.nowMs + OPENING_RETRY_MS } })
    return
  }
  update(step, { opening: null })
  if (opening.action.type === 'say') speakSystemText(step, 'opening', opening.action.text)
  else startGeneration(step, { input: { type: 'open' }, inputType: 'open', turnNumber: null })
}
