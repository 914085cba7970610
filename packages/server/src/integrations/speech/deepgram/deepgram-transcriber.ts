import type { Transcriber } from '@parley/engine/voice/ports'
import type { SpeechSocketTarget } from '../vendor-socket.ts'
import { FluxSession } from './flux-session.ts'
import { NovaSession } from './nova-session.ts'

/** 99th percentile of the time until the final text, as used by other voice platforms. */
const FINAL_P99_MS = 350

/** Creates a transcriber that streams audio to Deepgram: `flux-…` models detect the end of turns, `nova-…` models do not. */
export function createDeepgramTranscriber(target: SpeechSocketTarget & { readonly model: string }): Transcriber {
  return {
    name: `deepgram/${target.model}`,
    finalP99Ms: FINAL_P99_MS,
    // Pauses in the middle of a sentence often end with a period.
    punctuatesFragments: true,
    open: (session) =>
      target.model.startsWith('flux') ? new FluxSession(target, session) : new NovaSession(target, session),
  }
}
