import type { Clock } from '@parley/engine/ports'
import type { Synthesizer, Transcriber } from '@parley/engine/voice/ports'
import { RecentMap } from '../recent-map.ts'
import type { SpeechEndpoint } from './speech-endpoints.ts'
import { SPEECH_VENDORS, type SpeechClient } from './vendor-table.ts'

/** Maximum number of cached clients, more than the customers of a node that have their own keys and speak at once. */
const MAX_CLIENTS = 500

/** Clients of speech vendors. All calls share one client for each address, key and model, with its connections. */
export interface SpeechClients {
  /** Returns null if the vendor has no voices. Without a model, the vendor's default is used. */
  getSynthesizer(endpoint: SpeechEndpoint, model: string | null): Synthesizer | null
  /** Returns null if the vendor does not transcribe. */
  getTranscriber(endpoint: SpeechEndpoint, model: string | null): Transcriber | null
}

export function createSpeechClients(clock: Clock): SpeechClients {
  const synthesizers = new RecentMap<SpeechClient<Synthesizer>>(MAX_CLIENTS, closeClient)
  const transcribers = new RecentMap<SpeechClient<Transcriber>>(MAX_CLIENTS, closeClient)
  return {
    getSynthesizer(endpoint, model) {
      const { createSynthesizer } = SPEECH_VENDORS[endpoint.vendor]
      if (createSynthesizer === null) return null
      return synthesizers.getOrCreate(buildClientKey(endpoint, model), () =>
        createSynthesizer({ ...endpoint, clock, model }),
      )
    },

    getTranscriber(endpoint, model) {
      const { createTranscriber } = SPEECH_VENDORS[endpoint.vendor]
      if (createTranscriber === null) return null
      return transcribers.getOrCreate(buildClientKey(endpoint, model), () =>
        createTranscriber({ ...endpoint, clock, model }),
      )
    },
  }
}

function closeClient(client: SpeechClient<object>): void {
  client.close?.()
}

function buildClientKey({ vendor, baseUrl, apiKey }: SpeechEndpoint, model: string | null): string {
  return JSON.stringify([vendor, baseUrl, apiKey, model])
}
