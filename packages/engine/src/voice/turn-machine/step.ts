import type { NoteCode, VoiceEffect } from './effects.ts'
import type { TurnState } from './state.ts'

/** One event on its way through the machine: the state so far and what is to be done. Lives for one call of `advance`. */
export interface Step {
  state: TurnState
  readonly effects: VoiceEffect[]
  readonly nowMs: number
}

/** Replaces parts of the state. */
export function change(step: Step, parts: Partial<TurnState>): void {
  step.state = { ...step.state, ...parts }
}

/** Adds to what is to be done. */
export function emit(step: Step, effect: VoiceEffect): void {
  step.effects.push(effect)
}

/** Tells the builder of the agent what was decided and why. */
export function note(step: Step, code: NoteCode, message: string): void {
  step.effects.push({ type: 'note', code, message })
}
