import type { AudioEnvelope } from './audio-envelope.ts'

/** A silence between two sounds. */
export interface Silence {
  readonly fromMs: number
  readonly toMs: number
}

/** What is known about the audio of a text. */
export interface KnownAudio {
  readonly fromMs: number
  readonly toMs: number
  /** No audio follows `toMs`. */
  readonly isComplete: boolean
  readonly silences: readonly Silence[]
  /** Average duration of a character in this voice, for audio that has not arrived. */
  readonly characterMs: number
  /** `null` if only the silences are known. */
  readonly envelope: Pick<AudioEnvelope, 'voice' | 'hiss'> | null
}
