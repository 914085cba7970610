import type { Clock } from '@parley/engine/ports'
import type { Synthesizer, Transcriber } from '@parley/engine/voice/ports'
import type { AgentVoice } from '@parley/engine/voice/session/session-ports'
import type { Dispatcher } from 'undici'
import type { WorkspaceSpeech as CallSpeech } from '../../features/calls/public.ts'
import type { VendorKeys } from '../../features/vendor-keys/public.ts'
import type { ResolvedVoice } from '../../features/voices/public.ts'
import { AppError } from '../../kernel/errors.ts'
import { DEFAULT_BASE_URLS } from '../models/default-base-urls.ts'
import { RecentMap } from '../recent-map.ts'
import type { FliteSynthesizer } from './flite/flite-synthesizer.ts'
import { createOpenAiSynthesizer } from './openai/openai-synthesizer.ts'
import { createOpenAiTranscriber } from './openai/openai-transcriber.ts'

export interface VoiceSelection {
  /** The requested voices that are available, in order, followed by a built-in voice. Never empty. */
  readonly voices: readonly [AgentVoice, ...AgentVoice[]]
  /** One sentence per deviation from the request. */
  readonly standIns: readonly string[]
}

/** Speech of one workspace, as currently configured. */
export interface WorkspaceSpeech extends CallSpeech {
  selectVoices(...request: Parameters<CallSpeech['selectVoices']>): VoiceSelection
  /** Vendors with available voices, besides the built-in voices. */
  readonly providers: readonly SpeechVendorId[]
}

export interface SpeechVendors {
  forWorkspace(workspaceId: number): Promise<WorkspaceSpeech>
}

export interface SpeechVendorsOptions extends SpeechNetwork {
  readonly settings: SpeechSettings
  readonly keys: VendorKeys
  readonly clock: Clock
  readonly builtIn: Pick<FliteSynthesizer, 'name' | 'synthesize' | 'supports'>
}

/** Default OpenAI models. */
const OPENAI_SPEECH_MODEL = 'gpt-4o-mini-tts'
const OPENAI_MODELS_BY_MODE = { fast: 'gpt-4o-mini-transcribe', accurate: 'gpt-4o-transcribe' } as const
/** Built-in fallback voices by the gender of the replaced voice. */
const BUILT_IN_FEMALE = 'slt'
const BUILT_IN_MALE = 'rms'
/** Maximum number of cached clients. A client remembers the capabilities of its server. */
const MAX_CLIENTS = 200

/** Creates the speech vendors. Settings and keys are read for each call, so that a new key applies immediately. */
export function createSpeechVendors(options: SpeechVendorsOptions): SpeechVendors {
  const { settings, keys, clock, builtIn } = options
  const synthesizers = new RecentMap<Synthesizer>(MAX_CLIENTS)
  const transcribers = new RecentMap<Transcriber>(MAX_CLIENTS)
  const getSynthesizer = (endpoint: SpeechEndpoint, model: string): Synthesizer =>
    synthesizers.getOrCreate(buildClientKey(endpoint, model), () =>
      createOpenAiSynthesizer({ ...endpoint, model, clock }),
    )
  const getTranscriber = (endpoint: SpeechEndpoint, model: string): Transcriber =>
    transcribers.getOrCreate(buildClientKey(endpoint, model), () =>
      createOpenAiTranscriber({ ...endpoint, model, clock }),
    )
  return {
    async forWorkspace(workspaceId) {
      const openAiResult = await findOpenAiEndpoint(keys, workspaceId, options)
      const openAiEndpoint = openAiResult.kind === 'found' ? openAiResult.endpoint : null
      const problems = openAiResult.kind === 'unusable' ? [openAiResult.message] : []
      const synthesisTargets: EndpointModel[] = [
        openAiEndpoint && { endpoint: openAiEndpoint, model: OPENAI_SPEECH_MODEL },
        toOperatorTarget(settings.synthesis, options.http),
      ].filter((target) => target !== null)

      function toAgentVoice(voice: ResolvedVoice, model: string | null): AgentVoice | null {
        if (voice.provider === 'builtin') return { synthesizer: builtIn, voice: voice.vendorVoice, model: null }
        const target = synthesisTargets.find(({ endpoint }) => endpoint.provider === voice.provider)
        if (target === undefined) return null
        const synthesizer = getSynthesizer(target.endpoint, model ?? target.model)
        return { synthesizer, voice: voice.vendorVoice, model }
      }

      return {
        providers: synthesisTargets.map(({ endpoint }) => endpoint.provider),

        selectVoices(requested, { model, language }) {
          const standIns: string[] = []
          const voices = requested.flatMap((voice, index) => {
            // The model belongs to the agent's main voice. Other vendors do not support it.
            const agentVoice = toAgentVoice(voice, index === 0 ? model : null)
            if (agentVoice !== null) return [agentVoice]
            standIns.push(describeMissingVoice(voice, problems))
            return []
          })
          const builtInVoice = chooseBuiltInVoice(builtIn, requested[0])
          const hasBuiltInVoice = voices.some(({ synthesizer }) => synthesizer === builtIn)
          const [mainVoice = builtInVoice, ...fallbackVoices] = hasBuiltInVoice ? voices : [...voices, builtInVoice]
          if (mainVoice.synthesizer === builtIn && !builtIn.supports(language)) {
            standIns.push(`The built-in voices speak English only; "${language}" will sound like English.`)
          }
          return { voices: [mainVoice, ...fallbackVoices], standIns }
        },

        selectTranscribers({ mode, provider }) {
          const model = OPENAI_MODELS_BY_MODE[mode === 'accurate' ? 'accurate' : 'fast']
          const candidates = [
            openAiEndpoint && { endpoint: openAiEndpoint, model },
            toOperatorTarget(settings.transcription, options.http),
          ].filter((target) => target !== null)
          const { orderedTargets, standIns } = orderTranscribers(candidates, mode === 'custom' ? provider : null)
          return {
            transcribers: orderedTargets.map((target) => getTranscriber(target.endpoint, target.model)),
            standIns: [...problems, ...standIns],
          }
        },
      }
    },
  }
}

interface EndpointModel {
  readonly endpoint: SpeechEndpoint
  readonly model: string
}

/** Converts the operator's settings for a speech server. Returns null if no server is configured. */
function toOperatorTarget(server: SpeechEndpointSettings | null, http: Dispatcher): EndpointModel | null {
  if (server === null) return null
  const { baseUrl, apiKey, model } = server
  return { endpoint: { provider: 'speech', baseUrl, apiKey, http }, model }
}

/** Orders the targets: the requested vendor first, then its fallbacks. */
function orderTranscribers(candidates: readonly EndpointModel[], requestedVendor: string | null) {
  const isRequested = ({ endpoint }: EndpointModel): boolean => endpoint.provider === requestedVendor
  const orderedTargets = [...candidates.filter(isRequested), ...candidates.filter((target) => !isRequested(target))]
  const [preferredTarget] = orderedTargets
  if (preferredTarget === undefined || requestedVendor === null || isRequested(preferredTarget))
    return { orderedTargets, standIns: [] }
  const { provider } = preferredTarget.endpoint
  return {
    orderedTargets,
    standIns: [`Speech recognition of "${requestedVendor}" is not configured: "${provider}" is used instead.`],
  }
}

function chooseBuiltInVoice(synthesizer: Synthesizer, replacedVoice: ResolvedVoice | undefined): AgentVoice {
  return { synthesizer, voice: replacedVoice?.gender === 'male' ? BUILT_IN_MALE : BUILT_IN_FEMALE, model: null }
}

function describeMissingVoice({ provider, vendorVoice }: ResolvedVoice, problems: readonly string[]): string {
  const reason = provider === 'openai' && problems.length > 0 ? ` ${problems.join(' ')}` : ''
  return `The voice "${vendorVoice}" of "${provider ?? 'unknown'}" is not available: the provider is not connected.${reason}`
}

/** Builds the cache key of a client. There is one client for each address, key and model. */
function buildClientKey({ provider, baseUrl, apiKey }: SpeechEndpoint, model: string): string {
  return JSON.stringify([provider, baseUrl, apiKey, model])
}

/** Settings of the operator's speech server for synthesis or transcription. */
interface SpeechEndpointSettings {
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  /** Model name on the server. */
  readonly model: string
}

/** Speech settings of the operator. */
export interface SpeechSettings {
  /** `SPEECH_BASE_URL`, `SPEECH_API_KEY`, `SPEECH_MODEL`. */
  readonly synthesis: SpeechEndpointSettings | null
  /** Voices of the server (`SPEECH_VOICES`), because the API cannot list them. */
  readonly voices: readonly string[]
  /** `TRANSCRIPTION_BASE_URL`, `TRANSCRIPTION_API_KEY`, `TRANSCRIPTION_MODEL`. */
  readonly transcription: SpeechEndpointSettings | null
}

/** ID of a speech vendor. `openai` uses a key of the workspace or operator, `speech` the operator's settings. */
type SpeechVendorId = 'openai' | 'speech'

/** API endpoint of a workspace's speech vendor. */
interface SpeechEndpoint {
  readonly provider: SpeechVendorId
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly http: Dispatcher
}

interface SpeechNetwork {
  readonly http: Dispatcher
  /** Dispatcher for URLs that customers configure. It blocks internal networks. */
  readonly guardedHttp: Dispatcher
}

/** Result of looking up a workspace's OpenAI key. */
type OpenAiEndpointResult =
  | { readonly kind: 'found'; readonly endpoint: SpeechEndpoint }
  | { readonly kind: 'none' }
  /** The stored key is unusable. Another owner's key is not used instead. */
  | { readonly kind: 'unusable'; readonly message: string }

/**
 * Finds the OpenAI key of the workspace, its tenant or the operator. An operator key with a custom base URL is used only for
 * language models, because most such servers do not support speech.
 */
async function findOpenAiEndpoint(
  keys: VendorKeys,
  workspaceId: number,
  { http, guardedHttp }: SpeechNetwork,
): Promise<OpenAiEndpointResult> {
  try {
    const key = await keys.findKey(workspaceId, 'openai')
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
