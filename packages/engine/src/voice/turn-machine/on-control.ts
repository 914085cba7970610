import { isFinal } from './caller-turn.ts'
import { dropSpeculation, startGeneration } from './generations.ts'
import { speakSystemText } from './speech.ts'
import { change, note, type Step } from './step.ts'
import { isAgentBusy, isCallerSilent } from './turn-conditions.ts'

const MAX_PENDING_SAYS = 16

/** Somebody has the agent say something. It waits for a caller who is speaking. */
export function onSay(step: Step, text: string, isInterruptible: boolean): void {
  const { pendingSays } = step.state
  if (text.trim() === '' || pendingSays.length >= MAX_PENDING_SAYS) return
  change(step, { pendingSays: [...pendingSays, { text, isInterruptible }] })
}

/** The agent was told something. */
export function onInject(step: Step, respond: boolean): void {
  dropSpeculation(step, 'The agent was told something meanwhile.')
  if (respond) change(step, { isInjected: true })
}

/** Says and answers what waited for a moment in which nobody speaks. */
export function processPendingInput(step: Step): void {
  const { pendingSays } = step.state
  const canSpeak = step.state.turn === null && !step.state.voice.isOn
  if (pendingSays.length > 0 && canSpeak) {
    change(step, { pendingSays: [] })
    for (const { text, isInterruptible } of pendingSays) speakSystemText(step, 'say', text, isInterruptible)
  }
  if (!step.state.isInjected || isAgentBusy(step.state) || !isCallerSilent(step.state)) return
  change(step, { isInjected: false })
  // An answer that was taken away for nothing is still owed: this one stands for it, and is tried again like it.
  const pendingReply = step.state.canceled ?? { answers: 'injected', turn: null }
  startGeneration(step, { input: { type: 'injected' }, answers: pendingReply.answers, turn: pendingReply.turn })
}

/** Nobody hears anything. What was begun goes on out of hearing. */
export function onConnectionLost(step: Step): void {
  const { voice } = step.state
  change(step, { connection: 'lost', voice: { ...voice, isOn: false, untranscribedSinceMs: null } })
}

/** The caller is back. */
export function onConnectionRestored(step: Step): void {
  change(step, { connection: 'up' })
}

/** Other ears hear what is being said once more, or nobody hears any more. */
export function onTranscriberStatus(step: Step, status: 'replaced' | 'gone' | 'none'): void {
  const { transcriber } = step.state
  if (status === 'replaced') restartTranscription(step)
  else if (status === 'none' && transcriber !== 'none') ignoreVoice(step)
  else if (status === 'gone' && transcriber === 'listening') {
    change(step, { transcriber: 'gone' })
    note(step, 'no-ears', 'No recogniser can hear the caller any more.')
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

/** Whoever cannot be understood does not hold the agent up: voice means nothing until words come. */
function ignoreVoice(step: Step): void {
  const { voice } = step.state
  change(step, {
    transcriber: 'none',
    voice: { ...voice, isOn: false, untranscribedSinceMs: null, retranscribingSinceMs: null },
  })
  note(step, 'no-ears', 'Nobody understands what the caller says: they write.')
}
