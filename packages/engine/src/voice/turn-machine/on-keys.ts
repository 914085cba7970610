import { pressDigit } from './decide-dtmf.ts'
import { interrupt } from './generations.ts'
import { isOccupied, mayInterrupt } from './occupation.ts'
import { change, type Step } from './step.ts'

const MOST_TYPED = 16

/** A key of the phone. */
export function onDtmf(step: Step, digit: string): void {
  const { settings, digits } = step.state
  if (!settings.allowDtmf) return
  const pressed = pressDigit(digits?.text ?? '', digit, settings.dtmf)
  if (pressed.text === '') return
  change(step, { digits: { ...pressed, isDone: pressed.isDone || digits?.isDone === true, lastAtMs: step.nowMs } })
  if (isOccupied(step.state) && mayInterrupt(step.state, 'keys')) interrupt(step, 'the caller pressed a key')
}

/** A whole turn, written. */
export function onTyped(step: Step, text: string): void {
  const written = text.trim()
  if (written === '' || step.state.typed.length >= MOST_TYPED) return
  change(step, { typed: [...step.state.typed, written] })
  if (isOccupied(step.state) && mayInterrupt(step.state, 'typing')) interrupt(step, 'the caller wrote')
}
