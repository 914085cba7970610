import { isFinal } from './caller-turn.ts'
import { dropSpeculation, startGeneration } from './generations.ts'
import { isCallerSilent, isOccupied } from './occupation.ts'
import { speakOwn } from './speech.ts'
import { change, note, type Step } from './step.ts'

const MOST_SAYS = 16

/** Somebody has the agent say something. It waits for a caller who is speaking. */
export function onSay(step: Step, text: string, isInterruptible: boolean): void {
  const { says } = step.state
  if (text.trim() === '' || says.length >= MOST_SAYS) return
  change(step, { says: [...says, { text, isInterruptible }] })
}

/** The agent was told something. */
export function onInject(step: Step, respond: boolean): void {
  dropSpeculation(step, 'The agent was told something meanwhile.')
  if (respond) change(step, { isInjected: true })
}

/** Says and answers what waited for a moment in which nobody speaks. */
export function doWhatWaited(step: Step): void {
  const { says } = step.state
  const isFree = step.state.turn === null && !step.state.voice.isOn
  if (says.length > 0 && isFree) {
    change(step, { says: [] })
    for (const { text, isInterruptible } of says) speakOwn(step, 'say', text, isInterruptible)
  }
  if (!step.state.isInjected || isOccupied(step.state) || !isCallerSilent(step.state)) return
  change(step, { isInjected: false })
  // An answer that was taken away for nothing is still owed: this one stands for it, and is tried again like it.
  const owed = step.state.cancelled ?? { answers: 'injected', turn: null }
  startGeneration(step, { input: { type: 'injected' }, answers: owed.answers, turn: owed.turn })
}

/** Nobody hears anything. What was begun goes on out of hearing. */
export function onLineLost(step: Step): void {
  const { voice } = step.state
  change(step, { line: 'lost', voice: { ...voice, isOn: false, unexplainedSinceMs: null } })
}

/** The caller is back. */
export function onLineRestored(step: Step): void {
  change(step, { line: 'up' })
}

/** Other ears hear what is being said once more, or nobody hears any more. */
export function onRecogniser(step: Step, status: 'replaced' | 'gone' | 'none'): void {
  const { ears } = step.state
  if (status === 'replaced') hearAgain(step)
  else if (status === 'none' && ears !== 'none') ignoreVoice(step)
  else if (status === 'gone' && ears === 'listening') {
    change(step, { ears: 'gone' })
    note(step, 'no-ears', 'No recogniser can hear the caller any more.')
  }
}

function hearAgain(step: Step): void {
  const { turn, voice, takenAtMs, startedAtMs } = step.state
  const isUntaken = voice.lastAtMs > (takenAtMs ?? startedAtMs)
  change(step, {
    ears: 'listening',
    turn: turn === null || isFinal(turn) ? turn : { ...turn, heardAgainAtMs: step.nowMs },
    voice: { ...voice, heardAgainAtMs: turn === null && isUntaken ? step.nowMs : null },
  })
}

/** Whoever cannot be understood does not hold the agent up: voice means nothing until words come. */
function ignoreVoice(step: Step): void {
  const { voice } = step.state
  change(step, { ears: 'none', voice: { ...voice, isOn: false, unexplainedSinceMs: null, heardAgainAtMs: null } })
  note(step, 'no-ears', 'Nobody understands what the caller says: they write.')
}
