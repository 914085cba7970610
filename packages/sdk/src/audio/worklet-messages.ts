import type { WireRateHz } from '../channel/live-protocol.ts'

/** Name under which the processor of sound is registered. */
export const PROCESSOR_NAME = 'parley-call-sound'

/** What the page tells the processor of sound. */
export type ToProcessor =
  /** Both directions begin, at this rate on the wire; samples of the microphone are counted from `captureFrom`. */
  | { readonly type: 'start'; readonly rateHz: WireRateHz; readonly captureFrom: number }
  | { readonly type: 'play'; readonly startSample: number; readonly samples: Int16Array }
  | { readonly type: 'clear' }
  | { readonly type: 'end' }

/** What the processor of sound tells the page. */
export type FromProcessor =
  /** 20 ms of the microphone. */
  | { readonly type: 'captured'; readonly startSample: number; readonly samples: Int16Array<ArrayBuffer> }
  /** How far the agent's sound has played; `atRest`: nothing plays or waits any more. */
  | {
      readonly type: 'position'
      readonly playedSamples: number
      /** First sample of what was played in one piece until there. */
      readonly segmentStart: number
      readonly capturedSamples: number
      readonly isIdle: boolean
      readonly underruns: number
    }
  /** How loud both sides are, 0 to 1. */
  | { readonly type: 'level'; readonly user: number; readonly agent: number }
