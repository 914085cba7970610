import type { LegRateHz } from '@parley/engine/audio/frame'

/** A caller's turn. */
export interface TurnAudio {
  readonly rateHz: LegRateHz
  readonly samples: Int16Array
}

/** The first request loads the model, and all others run it. */
export type SmartTurnRequest = 'load' | TurnAudio

/** The probability that the caller has finished, or the reason why the model cannot run. */
export type SmartTurnResponse = { readonly probability: number } | { readonly failure: string }
