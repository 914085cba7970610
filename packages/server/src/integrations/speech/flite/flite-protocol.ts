import type { LegRateHz } from '@parley/engine/audio/frame'
import type { TimedWord } from '@parley/engine/voice/ports'

/** The voices of the synthesizer. */
export const FLITE_VOICES = ['slt', 'rms', 'kal', 'awb'] as const
export type FliteVoice = (typeof FLITE_VOICES)[number]

/** A text to speak. */
export interface FliteRequest {
  readonly text: string
  readonly voice: FliteVoice
  readonly speed: number
  readonly rateHz: LegRateHz
}

export interface FliteJob extends FliteRequest {
  readonly jobId: number
}

/** A response of the thread. Words follow the audio. */
export type FliteResponse =
  | { readonly jobId: number; readonly kind: 'audio'; readonly samples: Int16Array<ArrayBuffer> }
  | { readonly jobId: number; readonly kind: 'words'; readonly words: readonly TimedWord[] }
  | { readonly jobId: number; readonly kind: 'error'; readonly fault: FliteFault }

/** An error of the synthesizer without its message, which can quote the text. */
interface FliteFault {
  readonly name: string
  readonly code: string | null
  /** Lines of the stack trace. */
  readonly stackLines: readonly string[]
}

export function toFliteFault(error: unknown): FliteFault {
  if (!(error instanceof Error)) return { name: typeof error, code: null, stackLines: [] }
  const { name, stack = '' } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  return { name, code, stackLines: stack.split('\n').filter((line) => /^\s+at /.test(line)) }
}

/** Creates an error for the log. */
export function toFliteError({ name, code, stackLines }: FliteFault): Error {
  const error = Object.assign(new Error('The built-in voices failed.'), { name, code })
  error.stack = [`${name}: ${error.message}`, ...stackLines].join('\n')
  return error
}
