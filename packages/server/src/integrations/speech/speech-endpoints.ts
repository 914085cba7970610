import type { Dispatcher } from 'undici'
import type { VendorKeys } from '../../features/vendor-keys/public.ts'
import { AppError } from '../../kernel/errors.ts'
import { DEFAULT_BASE_URLS } from '../models/default-base-urls.ts'

/** A server of the operator's that speaks the wire, for one of its two uses. */
export interface SpeechEndpointSettings {
  /** `…/v1`; the paths of the wire are appended. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** The server's own name of the model. */
  readonly model: string
}

/** What the operator configured. */
export interface SpeechSettings {
  /** `SPEECH_BASE_URL`, `SPEECH_API_KEY`, `SPEECH_MODEL`. */
  readonly synthesis: SpeechEndpointSettings | null
  /** Voices of that server, `SPEECH_VOICES`: it has no list that could be asked for. */
  readonly voices: readonly string[]
  /** `TRANSCRIPTION_BASE_URL`, `TRANSCRIPTION_API_KEY`, `TRANSCRIPTION_MODEL`. */
  readonly transcription: SpeechEndpointSettings | null
}

/** By which names providers of speech are known: `openai` by keys of the workspace or the operator, `speech` by settings. */
export type SpeechVendorId = 'openai' | 'speech'

/** Where a workspace's speech can be sent, and how it is reached. */
export interface SpeechEndpoint {
  readonly provider: SpeechVendorId
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly http: Dispatcher
}

export interface SpeechNetwork {
  readonly http: Dispatcher
  /** For addresses that customers stored: within the bounds of the outbound guard. */
  readonly guardedHttp: Dispatcher
}

/** What came of looking for a workspace's key. */
export type OpenAiEndpoint =
  | { readonly kind: 'found'; readonly endpoint: SpeechEndpoint }
  | { readonly kind: 'none' }
  /** A key is stored and cannot be used: the one of another owner does not step in. */
  | { readonly kind: 'unusable'; readonly message: string }

/**
 * OpenAI by the key of the workspace or of whoever is above it. An operator's key whose address leads elsewhere is for models
 * only: most servers of models have no speech, and one that has is named in the settings of speech.
 */
export async function findOpenAi(
  keys: VendorKeys,
  workspaceId: number,
  { http, guardedHttp }: SpeechNetwork,
): Promise<OpenAiEndpoint> {
  try {
    const key = await keys.keyFor(workspaceId, 'openai')
    if (key === null || (!key.isStored && key.baseUrl !== null)) return { kind: 'none' }
    const { apiKey, baseUrl, isStored } = key
    const endpoint: SpeechEndpoint = {
      provider: 'openai',
      baseUrl: baseUrl ?? DEFAULT_BASE_URLS.openai,
      apiKey,
      http: isStored && baseUrl !== null ? guardedHttp : http,
    }
    return { kind: 'found', endpoint }
  } catch (error) {
    if (error instanceof AppError && error.code === 'provider_not_configured') {
      return { kind: 'unusable', message: error.message }
    }
    throw error
  }
}
