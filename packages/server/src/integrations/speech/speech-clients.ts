import type { Clock } from '@parley/engine/ports'
import type { Synthesizer, Transcriber } from '@parley/engine/voice/ports'
import { RecentMap } from '../recent-map.ts'
import type { SpeechEndpoint } from './speech-endpoints.ts'
import { SPEECH_VENDORS } from './vendor-table.ts'

/** Maximum number of cached clients, more than the customers of a node that have their own keys and speak at once. */
const MAX_CLIENTS = 500

/** A vendor's endpoint with the model to use. */
export interface SpeechTarget {
  readonly endpoint: SpeechEndpoint
  readonly model: string
}

/** Clients of speech vendors. All calls share one client for each address, key and model, with its connections. */
export interface SpeechClients {
  /** Returns null if the vendor has no voices. */
  getSynthesizer(target: SpeechTarget): Synthesizer | null
  /** Returns null if the vendor does not transcribe. */
  getTranscriber(target: SpeechTarget): Transcriber | null
}

export function createSpeechClients(clock: Clock): SpeechClients {
  const synthesizers = new RecentMap<Synthesizer>(MAX_CLIENTS)
  const transcribers = new RecentMap<Transcriber>(MAX_CLIENTS)
  return {
    getSynthesizer(target) {
      const { endpoint, model } = target
      const { synthesis } = SPEECH_VENDORS[endpoint.vendor]
      return (
        synthesis &&
        synthesizers.getOrCreate(buildClientKey(target), () => synthesis.create({ ...endpoint, clock }, model))
      )
    },

    getTranscriber(target) {
      const { endpoint, model } = target
      const { transcription } = SPEECH_VENDORS[endpoint.vendor]
      return (
        transcription &&
        transcribers.getOrCreate(buildClientKey(target), () => transcription.create({ ...endpoint, clock }, model))
      )
    },
  }
}

function buildClientKey({ endpoint: { vendor, baseUrl, apiKey }, model }: SpeechTarget): string {
  return JSON.stringify([vendor, baseUrl, apiKey, model])
}
