import type { LegRateHz } from '@parley/engine/audio/frame'
import type { TimedWord } from '@parley/engine/voice/ports'
import type { FliteFault } from './flite-error.ts'

/** The voices inside of the synthesiser. */
export const FLITE_VOICES = ['slt', 'rms', 'kal', 'awb'] as const
export type FliteVoice = (typeof FLITE_VOICES)[number]

/** A piece of text to speak. */
export interface FliteRequest {
  readonly text: string
  readonly voice: FliteVoice
  readonly speed: number
  readonly rateHz: LegRateHz
}

export interface FliteJob extends FliteRequest {
  readonly number: number
}

/** The sound comes as soon as it is made; words and the end follow. */
export type FliteResponse =
  | { readonly number: number; readonly kind: 'audio'; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly number: number; readonly kind: 'words'; readonly words: readonly TimedWord[] }
  | { readonly number: number; readonly kind: 'error'; readonly fault: FliteFault }
