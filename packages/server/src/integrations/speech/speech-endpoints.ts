import type { Dispatcher } from 'undici'
import type { VendorKeys } from '../../features/vendor-keys/public.ts'
import { AppError } from '../../kernel/errors.ts'
import type { OpenGuardedSocket } from '../../platform/outbound/guarded-socket.ts'
import { DEFAULT_BASE_URLS } from '../models/default-base-urls.ts'

/** A vendor that speaks or transcribes with a key of the workspace, its tenant, its reseller or the operator. */
export type KeyedSpeechVendorId = 'openai' | 'deepgram' | 'elevenlabs' | 'cartesia'

/** ID of a speech vendor. `speech` is the operator's own server. */
export type SpeechVendorId = KeyedSpeechVendorId | 'speech'

/** Clients for requests to vendors. */
export interface SpeechNetwork {
  readonly http: Dispatcher
  readonly openSocket: OpenGuardedSocket
}

/** API endpoint of a workspace's speech vendor. */
export interface SpeechEndpoint extends SpeechNetwork {
  readonly vendor: SpeechVendorId
  readonly baseUrl: string
  readonly apiKey: string | undefined
}

/** Settings of the operator's speech server for synthesis or transcription. */
export interface SpeechServerSettings {
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** Model name on the server. */
  readonly model: string
}

/** Result of looking up a workspace's key. */
export type EndpointResult =
  | { readonly kind: 'found'; readonly endpoint: SpeechEndpoint }
  | { readonly kind: 'none' }
  /** The stored key is unusable. Another owner's key is not used instead. */
  | { readonly kind: 'unusable'; readonly message: string }

interface EndpointOptions {
  readonly keys: VendorKeys
  /** For vendors' default URLs and the operator's URLs. */
  readonly direct: SpeechNetwork
  /** For URLs that customers configure. It blocks internal networks. */
  readonly guarded: SpeechNetwork
}

/** Finds a vendor's endpoint with the key of the workspace, its tenant, its reseller or the operator. */
export async function findEndpoint(
  vendor: KeyedSpeechVendorId,
  workspaceId: number,
  { keys, direct, guarded }: EndpointOptions,
): Promise<EndpointResult> {
  try {
    const key = await keys.findKey(workspaceId, vendor)
    if (key === null) return { kind: 'none' }
    const { apiKey, baseUrl, isStored } = key
    // An operator's OpenAI-compatible server is used only for language models, because most such servers have no speech.
    if (vendor === 'openai' && !isStored && baseUrl !== null) return { kind: 'none' }
    const network = isStored && baseUrl !== null ? guarded : direct
    return { kind: 'found', endpoint: { vendor, apiKey, baseUrl: baseUrl ?? DEFAULT_BASE_URLS[vendor], ...network } }
  } catch (error) {
    if (error instanceof AppError && error.code === 'provider_not_configured') {
      return { kind: 'unusable', message: error.message }
    }
    throw error
  }
}

/** Returns the endpoint of the operator's own server. */
export function toServerEndpoint({ baseUrl, apiKey }: SpeechServerSettings, network: SpeechNetwork): SpeechEndpoint {
  return { vendor: 'speech', baseUrl, apiKey, ...network }
}
