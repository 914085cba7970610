import type { WireRateHz } from '../channel/live-protocol.ts'

/** Name of the registered audio processor. */
export const PROCESSOR_NAME = 'parley-call-audio'

/** Messages to the audio processor. */
export type ToProcessor =
  /** Starts both directions at this rate; microphone samples count from `captureFrom`. */
  | { readonly type: 'start'; readonly rateHz: WireRateHz; readonly captureFrom: number }
  | { readonly type: 'play'; readonly startSample: number; readonly samples: Int16Array }
  | { readonly type: 'clear' }
  | { readonly type: 'end' }

/** Messages from the audio processor. */
export type FromProcessor =
  /** 20 ms of the microphone. */
  | { readonly type: 'captured'; readonly startSample: number; readonly samples: Int16Array<ArrayBuffer> }
  /** Playback position; `isIdle` if nothing plays or is buffered. */
  | {
      readonly type: 'position'
      readonly playedSamples: number
      /** First sample of the contiguous stretch up to here. */
      readonly segmentStart: number
      readonly capturedSamples: number
      readonly isIdle: boolean
      readonly underruns: number
    }
  /** Level of both sides, 0 to 1. */
  | { readonly type: 'level'; readonly user: number; readonly agent: number }
