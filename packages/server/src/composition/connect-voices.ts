import { createVoiceUsers } from '../features/agents/public.ts'
import type { ProviderKeys } from '../features/provider-keys/public.ts'
import {
  createCommunityVoiceService,
  createVoiceCatalogue,
  createVoicePreviewService,
  registerVoicePreviewRoutes,
  registerVoiceRoutes,
  type VoiceCatalogue,
} from '../features/voices/public.ts'
import type { Api } from '../kernel/api/implement.ts'
import { createPreviewSpeaker } from '../providers/speech/preview-speech.ts'
import { createProvidedVoices } from '../providers/speech/provided-voices.ts'
import type { SpeechProviders } from '../providers/speech/speech-providers.ts'
import type { Foundation } from './foundation.ts'

export interface VoicesOptions {
  readonly keys: ProviderKeys
  /** Of the operator's own speech server. */
  readonly ownVoices: readonly string[]
}

/** Who speaks: the voices that agents choose from, and those who speak with them. */
export interface Voices {
  readonly catalogue: VoiceCatalogue
  readonly speech: SpeechProviders
  register(api: Api): void
}

export function connectVoices(
  { runtime, storage, outbound }: Pick<Foundation, 'runtime' | 'storage' | 'outbound'>,
  { keys, ownVoices }: VoicesOptions,
): Voices {
  const { clock, makeId } = runtime
  const { database } = storage
  const { directories } = outbound.speech
  const speech = outbound.speech.withKeys(keys)
  const catalogue = createVoiceCatalogue(database, createProvidedVoices(speech, { voices: ownVoices }))
  const community = { database, clock, makeId, keys, directories, users: createVoiceUsers() }
  return {
    catalogue,
    speech,
    register(api) {
      registerVoiceRoutes(api, catalogue, createCommunityVoiceService(community))
      const speaker = createPreviewSpeaker(speech, clock)
      registerVoicePreviewRoutes(api, createVoicePreviewService({ catalogue, speaker }))
    },
  }
}
