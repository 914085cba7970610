import { findAgentsWithVoice } from '../features/agents/public.ts'
import type { VendorKeys } from '../features/vendor-keys/public.ts'
import {
  createCommunityVoiceService,
  createVoiceCatalog,
  createVoicePreviewService,
  registerVoicePreviewRoutes,
  registerVoiceRoutes,
  type VoiceCatalog,
} from '../features/voices/public.ts'
import { createPreviewSpeaker } from '../integrations/speech/preview-speech.ts'
import type { SpeechVendors } from '../integrations/speech/speech-vendors.ts'
import { createVendorVoices } from '../integrations/speech/vendor-voices.ts'
import type { Api } from '../kernel/api/implement.ts'
import type { Foundation } from './foundation.ts'

export interface VoicesOptions {
  readonly keys: VendorKeys
  /** Voices of the operator's speech server. */
  readonly operatorVoices: readonly string[]
}

/** Voice catalog and speech synthesis. */
export interface Voices {
  readonly catalog: VoiceCatalog
  readonly speech: SpeechVendors
  register(api: Api): void
}

export function connectVoices(
  { runtime, storage, outbound, address }: Pick<Foundation, 'runtime' | 'storage' | 'outbound' | 'address'>,
  { keys, operatorVoices }: VoicesOptions,
): Voices {
  const { clock, makeId, logger } = runtime
  const { database } = storage
  const { directories, loadSample } = outbound.speech
  const speech = outbound.speech.withKeys(keys)
  const catalog = createVoiceCatalog(
    database,
    createVendorVoices(speech, { voices: operatorVoices, keys, directories, clock, logger }),
  )
  const communityDependencies = {
    database,
    clock,
    makeId,
    keys,
    directories,
    users: { findVoiceUsers: findAgentsWithVoice },
  }
  return {
    catalog,
    speech,
    register(api) {
      const community = createCommunityVoiceService(communityDependencies)
      registerVoiceRoutes(api, { catalog, community, getBaseUrl: address.getBaseUrl })
      const speaker = createPreviewSpeaker(speech, clock)
      registerVoicePreviewRoutes(api, createVoicePreviewService({ catalog, speaker, loadSample }))
    },
  }
}
