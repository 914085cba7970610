import type { AudioEnvelope } from './audio-envelope.ts'

/** A stretch of silence between two sounds. */
export interface Silence {
  readonly fromMs: number
  readonly toMs: number
}

/** What is known of the sound of a text. */
export interface KnownAudio {
  readonly fromMs: number
  readonly toMs: number
  /** Nothing follows `toMs`. */
  readonly isComplete: boolean
  readonly silences: readonly Silence[]
  /** How long a character takes in this voice; for what is not there yet. */
  readonly characterMs: number
  /** `null`: only where there is silence is known. */
  readonly envelope: Pick<AudioEnvelope, 'voice' | 'hiss'> | null
}
