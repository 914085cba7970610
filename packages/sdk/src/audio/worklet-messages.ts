import type { WireRateHz } from '../channel/live-protocol.ts'

/** Name under which the audio processor is registered. */
export const PROCESSOR_NAME = 'parley-call-audio'

/** Messages to the audio processor. */
export type ToProcessor =
  /** Starts both directions at this sample rate. Microphone samples count from `captureFrom`. */
  | { readonly type: 'start'; readonly rateHz: WireRateHz; readonly captureFrom: number }
  | { readonly type: 'play'; readonly startSample: number; readonly samples: Int16Array }
  | { readonly type: 'clear' }
  /** Plays everything with a gain of `db` decibels, reached within `rampMs`. */
  | { readonly type: 'gain'; readonly db: number; readonly rampMs: number }
  | { readonly type: 'end' }

/** Messages from the audio processor. */
export type FromProcessor =
  /** 20 ms of microphone audio. */
  | { readonly type: 'captured'; readonly startSample: number; readonly samples: Int16Array<ArrayBuffer> }
  /** Playback position. `isIdle` is true if nothing is playing or buffered. */
  | {
      readonly type: 'position'
      readonly playedSamples: number
      /** First sample of the contiguous segment that ends at this position. */
      readonly segmentStart: number
      readonly capturedSamples: number
      readonly isIdle: boolean
      readonly underruns: number
    }
  /** Levels of both sides, from 0 to 1. */
  | { readonly type: 'level'; readonly user: number; readonly agent: number }
