import type { Voice } from '@parley/contract/voice'
import type { VoiceToSpeak } from '../../kernel/voice-to-speak.ts'
import type { ProvidedVoice } from './voice-ports.ts'

/** When the voices of providers joined the catalogue, the same on every installation: behind the built-in ones. */
const ADDED_AT = '2026-04-19T00:00:00.000Z'

/** Providers whose voices need not be added. No id that is made ever looks so. */
const ID = /^voice_(openai|speech)_([\w-]{1,100})$/

/** Whether an id is that of a voice of a provider, connected now or not. */
export function isProvidedVoiceId(voiceId: string): boolean {
  return ID.test(voiceId)
}

/** What a provider would be asked to speak with: also where it is not connected any more, so that it can be said. */
export function readProvidedVoiceId(voiceId: string): Pick<VoiceToSpeak, 'provider' | 'providerVoice'> | null {
  const [, provider = '', providerVoice = ''] = ID.exec(voiceId) ?? []
  return provider === '' ? null : { provider, providerVoice }
}

/** Voices as the catalogue tells them, newest first, ties by id. */
export function toCatalogueVoices(voices: readonly ProvidedVoice[]): readonly Voice[] {
  return voices
    .map(({ provider, name, gender, description }) => ({
      voiceId: `voice_${provider}_${name}`,
      name: name.charAt(0).toUpperCase() + name.slice(1),
      gender,
      // They speak the language of what they are given.
      language: null,
      accent: null,
      description,
      provider,
      previewUrl: null,
      playbackOverrideUrl: null,
      tags: ['multilingual'],
      createdAt: ADDED_AT,
      updatedAt: ADDED_AT,
    }))
    .filter(({ voiceId }) => ID.test(voiceId))
    .sort((left, right) => (left.voiceId < right.voiceId ? 1 : -1))
}
