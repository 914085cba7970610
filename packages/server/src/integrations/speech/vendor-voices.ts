import type { VendorVoice, VendorVoices } from '../../features/voices/public.ts'
import { OPENAI_VOICES } from './openai/openai-voices.ts'
import type { SpeechVendors } from './speech-vendors.ts'

/** The voices of connected providers: OpenAI's by a table, those of the operator's own server by its settings. */
export function createVendorVoices(
  speech: SpeechVendors,
  { voices: ownVoices }: { readonly voices: readonly string[] },
): VendorVoices {
  const openAi: VendorVoice[] = OPENAI_VOICES.map((voice) => ({
    ...voice,
    provider: 'openai',
    description: `${voice.description} A voice of OpenAI.`,
  }))
  const own: VendorVoice[] = ownVoices.map((name) => ({
    provider: 'speech',
    name,
    gender: null,
    description: 'A voice of this installation’s own speech server.',
  }))
  return {
    async voicesFor(workspaceId) {
      const { providers } = await speech.forWorkspace(workspaceId)
      return [...(providers.includes('openai') ? openAi : []), ...(providers.includes('speech') ? own : [])]
    },
  }
}
