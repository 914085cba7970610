import type { LegRateHz } from '@parley/engine/audio/frame'

/** Header of a request. The bytes of the message contain the audio as 16-bit samples. */
export interface RecognitionHeader {
  readonly rateHz: LegRateHz
  /** Tokens of an earlier text of the same utterance. If they are still right, they shorten the decoding. */
  readonly draft: readonly number[]
}

/** Audio to recognize. The samples must not change until the response arrives. */
export interface RecognitionRequest extends RecognitionHeader {
  readonly samples: Int16Array<ArrayBuffer>
}

/** The recognized text, or `''` if the audio contains no speech. */
export interface Recognition {
  readonly text: string
  /** The text as tokens, which can be the draft of the next request. */
  readonly tokens: readonly number[]
}

/** A message of the process: first that the model is loaded, then one response per request. */
export type RecognizerResponse = { readonly kind: 'ready' } | ({ readonly kind: 'recognition' } & Recognition)
