import type { VendorVoice, VendorVoices } from '../../features/voices/public.ts'
import type { SpeechVendors } from './speech-vendors.ts'

/**
 * Creates the voice lists of connected vendors. OpenAI's voices come from a table, and the operator's voices from the settings.
 */
export function createVendorVoices(
  speech: SpeechVendors,
  { voices: operatorVoiceNames }: { readonly voices: readonly string[] },
): VendorVoices {
  const openAiVoices: VendorVoice[] = OPENAI_VOICES.map((voice) => ({
    ...voice,
    provider: 'openai',
    description: `${voice.description} An OpenAI voice.`,
  }))
  const operatorVoices: VendorVoice[] = operatorVoiceNames.map((name) => ({
    provider: 'speech',
    name,
    gender: null,
    description: 'A voice on this installation’s speech server.',
  }))
  return {
    async listVoices(workspaceId) {
      const { voiceVendors } = await speech.forWorkspace(workspaceId)
      return [
        ...(voiceVendors.includes('openai') ? openAiVoices : []),
        ...(voiceVendors.includes('speech') ? operatorVoices : []),
      ]
    },
  }
}

/**
 * The documented voices of OpenAI's speech API, as of 2026-03. The API does not list voices or genders. The genders here
 * describe how most listeners perceive the voices.
 */
const OPENAI_VOICES = [
  { name: 'alloy', gender: 'neutral', description: 'Balanced and neutral.' },
  { name: 'ash', gender: 'male', description: 'Clear and precise.' },
  { name: 'ballad', gender: 'male', description: 'Melodic and smooth.' },
  { name: 'coral', gender: 'female', description: 'Warm and friendly.' },
  { name: 'echo', gender: 'male', description: 'Resonant and deep.' },
  { name: 'fable', gender: 'neutral', description: 'Expressive, for stories.' },
  { name: 'nova', gender: 'female', description: 'Bright and energetic.' },
  { name: 'onyx', gender: 'male', description: 'Dark and composed.' },
  { name: 'sage', gender: 'female', description: 'Calm and thoughtful.' },
  { name: 'shimmer', gender: 'female', description: 'Light and cheerful.' },
  { name: 'verse', gender: 'male', description: 'Versatile and lively.' },
  { name: 'marin', gender: 'female', description: 'Natural and relaxed.' },
  { name: 'cedar', gender: 'male', description: 'Natural and steady.' },
] as const
