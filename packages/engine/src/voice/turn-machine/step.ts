import type { NoteCode, VoiceEffect } from './effects.ts'
import type { TurnState } from './state.ts'

/** State and effects while an event is handled. */
export interface Step {
  state: TurnState
  readonly effects: VoiceEffect[]
  readonly nowMs: number
}

/** Updates parts of the state. */
export function change(step: Step, parts: Partial<TurnState>): void {
  step.state = { ...step.state, ...parts }
}

/** Adds an effect. */
export function emit(step: Step, effect: VoiceEffect): void {
  step.effects.push(effect)
}

/** Records a decision and its reason. */
export function note(step: Step, code: NoteCode, message: string): void {
  step.effects.push({ type: 'note', code, message })
}
