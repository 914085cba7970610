import type { ProviderKey } from '@parley/contract/provider-key'
import { message } from '../../lib/language.ts'

export type Service = ProviderKey['service']

export const SERVICES = ['openai', 'anthropic', 'elevenlabs', 'cartesia'] as const satisfies readonly Service[]

/** Services by their own names. */
export const SERVICE_NAMES: Readonly<Record<Service, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  elevenlabs: 'ElevenLabs',
  cartesia: 'Cartesia',
}

/** What a service is for, in words for `t`. */
export const SERVICE_USES: Readonly<Record<Service, string>> = {
  openai: message('Serves language models.'),
  anthropic: message('Serves language models.'),
  elevenlabs: message('Serves voices.'),
  cartesia: message('Serves voices.'),
}
