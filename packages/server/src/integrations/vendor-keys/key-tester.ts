import type { KeyedVendor, KeyTester } from '../../features/vendor-keys/public.ts'
import { buildCartesiaHeaders } from '../cartesia-api.ts'
import { DEFAULT_BASE_URLS } from '../models/default-base-urls.ts'
import { openExchange, type VoiceHttpDependencies, type VoiceService } from '../voices/voice-http.ts'

interface TestedService extends VoiceService {
  /** Path of a request that costs nothing and needs a valid key. */
  readonly path: string
}

const SERVICES: Readonly<Record<KeyedVendor, TestedService>> = {
  openai: {
    label: 'OpenAI',
    defaultBaseUrl: DEFAULT_BASE_URLS.openai,
    buildKeyHeaders: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
    path: '/models',
  },
  anthropic: {
    label: 'Anthropic',
    defaultBaseUrl: DEFAULT_BASE_URLS.anthropic,
    buildKeyHeaders: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    path: '/v1/models?limit=1',
  },
  deepgram: {
    label: 'Deepgram',
    defaultBaseUrl: DEFAULT_BASE_URLS.deepgram,
    buildKeyHeaders: (apiKey) => ({ authorization: `Token ${apiKey}` }),
    path: '/v1/projects',
  },
  elevenlabs: {
    label: 'ElevenLabs',
    defaultBaseUrl: DEFAULT_BASE_URLS.elevenlabs,
    buildKeyHeaders: (apiKey) => ({ 'xi-api-key': apiKey }),
    path: '/v1/user',
  },
  cartesia: {
    label: 'Cartesia',
    defaultBaseUrl: DEFAULT_BASE_URLS.cartesia,
    buildKeyHeaders: buildCartesiaHeaders,
    path: '/voices?limit=1',
  },
}

/** ElevenLabs' code for a valid key that does not include the tested permission. */
const RESTRICTED_KEY_CODE = 'missing_permissions'

/** Creates the test of vendor keys: one real request per test, within ten seconds and through the guard of customers' URLs. */
export function createKeyTester(dependencies: VoiceHttpDependencies): KeyTester {
  return {
    async test(vendor, key) {
      const service = SERVICES[vendor]
      const response = await openExchange(service, key, dependencies).get(service.path)
      if (response.ok) return { ok: true, message: `${service.label} accepted the key.` }
      if (response.code === RESTRICTED_KEY_CODE) {
        return { ok: true, message: `${service.label} accepted the key, which has restricted permissions.` }
      }
      return { ok: false, message: response.message }
    },
  }
}
