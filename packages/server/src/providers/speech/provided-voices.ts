import type { ProvidedVoice, ProvidedVoices } from '../../features/voices/public.ts'
import { OPENAI_VOICES } from './openai/openai-voices.ts'
import type { SpeechProviders } from './speech-providers.ts'

/** The voices of connected providers: OpenAI's by a table, those of the operator's own server by its settings. */
export function createProvidedVoices(
  speech: SpeechProviders,
  { voices: ownVoices }: { readonly voices: readonly string[] },
): ProvidedVoices {
  const openAi: ProvidedVoice[] = OPENAI_VOICES.map((voice) => ({
    ...voice,
    provider: 'openai',
    description: `${voice.description} A voice of OpenAI.`,
  }))
  const own: ProvidedVoice[] = ownVoices.map((name) => ({
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
