import type { VoiceDirectories } from '../../features/voices/public.ts'
import { createCartesiaVoices } from './cartesia-voices.ts'
import { createElevenLabsVoices } from './elevenlabs-voices.ts'
import type { VoiceHttpDependencies } from './voice-http.ts'

/** The directories of all providers, by the names that requests use. */
export function createVoiceDirectories(dependencies: VoiceHttpDependencies): VoiceDirectories {
  return { elevenlabs: createElevenLabsVoices(dependencies), cartesia: createCartesiaVoices(dependencies) }
}
