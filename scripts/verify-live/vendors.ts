import { DEFAULT_BASE_URLS } from '../../packages/server/src/integrations/models/default-base-urls.ts'
import { CARTESIA_SOCKET_URL } from '../../packages/server/src/integrations/speech/cartesia/cartesia-synthesizer.ts'
import { DEEPGRAM_BASE_URL } from '../../packages/server/src/integrations/speech/deepgram/deepgram-wire.ts'
import { ELEVENLABS_SOCKET_URL } from '../../packages/server/src/integrations/speech/elevenlabs/elevenlabs-api.ts'
import { createAnthropicChecks } from './anthropic-checks.ts'
import { createCartesiaChecks } from './cartesia-checks.ts'
import type { Check, VendorAccess } from './check.ts'
import { createDeepgramChecks } from './deepgram-checks.ts'
import { createElevenLabsChecks } from './elevenlabs-checks.ts'
import { createOpenAiChecks } from './openai-checks.ts'

interface VerifiedVendor {
  /** Environment variables of the server. */
  readonly keyName: string
  readonly baseUrlName: string
  readonly defaultBaseUrl: string
  readonly createChecks: (access: VendorAccess) => readonly Check[]
}

export const VENDORS = {
  openai: {
    keyName: 'OPENAI_API_KEY',
    baseUrlName: 'OPENAI_BASE_URL',
    defaultBaseUrl: DEFAULT_BASE_URLS.openai,
    createChecks: createOpenAiChecks,
  },
  anthropic: {
    keyName: 'ANTHROPIC_API_KEY',
    baseUrlName: 'ANTHROPIC_BASE_URL',
    defaultBaseUrl: DEFAULT_BASE_URLS.anthropic,
    createChecks: createAnthropicChecks,
  },
  deepgram: {
    keyName: 'DEEPGRAM_API_KEY',
    baseUrlName: 'DEEPGRAM_BASE_URL',
    defaultBaseUrl: DEEPGRAM_BASE_URL,
    createChecks: createDeepgramChecks,
  },
  elevenlabs: {
    keyName: 'ELEVENLABS_API_KEY',
    baseUrlName: 'ELEVENLABS_BASE_URL',
    defaultBaseUrl: ELEVENLABS_SOCKET_URL,
    createChecks: createElevenLabsChecks,
  },
  cartesia: {
    keyName: 'CARTESIA_API_KEY',
    baseUrlName: 'CARTESIA_BASE_URL',
    defaultBaseUrl: CARTESIA_SOCKET_URL,
    createChecks: createCartesiaChecks,
  },
} as const satisfies Readonly<Record<string, VerifiedVendor>>

export type VendorId = keyof typeof VENDORS

export function isVendorId(name: string): name is VendorId {
  return Object.hasOwn(VENDORS, name)
}
