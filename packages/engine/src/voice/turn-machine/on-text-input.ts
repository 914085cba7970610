import { pressDigit } from './decide-dtmf.ts'
import { interrupt } from './generations.ts'
import { change, type Step } from './step.ts'
import { canInterrupt, isAgentBusy } from './turn-conditions.ts'

const MAX_PENDING_TEXTS = 16

/** A key of the phone. */
export function onDtmf(step: Step, digit: string): void {
  const { settings, digits } = step.state
  if (!settings.allowDtmf) return
  const pressed = pressDigit(digits?.text ?? '', digit, settings.dtmf)
  if (pressed.text === '') return
  change(step, { digits: { ...pressed, isDone: pressed.isDone || digits?.isDone === true, lastAtMs: step.nowMs } })
  if (isAgentBusy(step.state) && canInterrupt(step.state, 'keys')) interrupt(step, 'the caller pressed a key')
}

/** A whole turn, written. */
export function onTyped(step: Step, text: string): void {
  const written = text.trim()
  if (written === '' || step.state.typed.length >= MAX_PENDING_TEXTS) return
  change(step, { typed: [...step.state.typed, written] })
  if (isAgentBusy(step.state) && canInterrupt(step.state, 'typing')) interrupt(step, 'the caller wrote')
}
