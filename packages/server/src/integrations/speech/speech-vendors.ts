import type { Clock } from '@parley/engine/ports'
import type { Synthesizer, Transcriber } from '@parley/engine/voice/ports'
import type { AgentVoice } from '@parley/engine/voice/session/session-ports'
import type { WorkspaceSpeech as SpeechOfCalls } from '../../features/calls/public.ts'
import type { VendorKeys } from '../../features/vendor-keys/public.ts'
import type { ResolvedVoice } from '../../features/voices/public.ts'
import type { FliteSynthesizer } from './flite/flite-synthesizer.ts'
import { createOpenAiSynthesizer } from './openai/openai-synthesizer.ts'
import { createOpenAiTranscriber } from './openai/openai-transcriber.ts'
import {
  findOpenAi,
  type SpeechEndpoint,
  type SpeechNetwork,
  type SpeechSettings,
  type SpeechVendorId,
} from './speech-endpoints.ts'

export interface VoicePlan {
  /** The voices that were asked for and can speak, in their order, and last a built-in one. Never empty. */
  readonly voices: readonly [AgentVoice, ...AgentVoice[]]
  /** One sentence for each thing that is not as it was asked for. */
  readonly standIns: readonly string[]
}

/** Who speaks and listens for one workspace, now. */
export interface WorkspaceSpeech extends SpeechOfCalls {
  voices(...asked: Parameters<SpeechOfCalls['voices']>): VoicePlan
  /** Providers whose voices can speak now, beside the built-in ones. */
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

/** What OpenAI itself speaks and listens with, where nothing else is asked for. */
const OPENAI_SPEECH_MODEL = 'gpt-4o-mini-tts'
const OPENAI_MODELS_BY_MODE = { fast: 'gpt-4o-mini-transcribe', accurate: 'gpt-4o-transcribe' } as const
/** The built-in voices that stand in, by how the voice sounds that they stand in for. */
const BUILT_IN_FEMALE = 'slt'
const BUILT_IN_MALE = 'rms'
/** Clients that are kept, so that what they learnt of their servers is, too. */
const MAX_CLIENTS = 200

/** Finds providers by settings and keys. What is found is asked for at each call, so that a new key counts at once. */
export function createSpeechVendors(options: SpeechVendorsOptions): SpeechVendors {
  const { settings, keys, clock, builtIn } = options
  const synthesizers = new Map<string, Synthesizer>()
  const transcribers = new Map<string, Transcriber>()
  const synthesizerOf = (endpoint: SpeechEndpoint, model: string): Synthesizer =>
    getOrCreateClient(synthesizers, endpoint, model, () => createOpenAiSynthesizer({ ...endpoint, model, clock }))
  const transcriberOf = (endpoint: SpeechEndpoint, model: string): Transcriber =>
    getOrCreateClient(transcribers, endpoint, model, () => createOpenAiTranscriber({ ...endpoint, model, clock }))
  const own = (part: 'synthesis' | 'transcription'): SpeechTargetModel | null => {
    const server = settings[part]
    if (server === null) return null
    const { baseUrl, apiKey, model } = server
    return { endpoint: { provider: 'speech', baseUrl, apiKey, http: options.http }, model }
  }

  return {
    async forWorkspace(workspaceId) {
      const openAi = await findOpenAi(keys, workspaceId, options)
      const found = openAi.kind === 'found' ? openAi.endpoint : null
      const problems = openAi.kind === 'unusable' ? [openAi.message] : []
      const speakers: SpeechTargetModel[] = [
        found && { endpoint: found, model: OPENAI_SPEECH_MODEL },
        own('synthesis'),
      ].flatMap((one) => one ?? [])

      function toAgentVoice(voice: ResolvedVoice, model: string | null): AgentVoice | null {
        if (voice.provider === 'builtin') return { synthesizer: builtIn, voice: voice.vendorVoice, model: null }
        const speaker = speakers.find(({ endpoint }) => endpoint.provider === voice.provider)
        if (speaker === undefined) return null
        const synthesizer = synthesizerOf(speaker.endpoint, model ?? speaker.model)
        return { synthesizer, voice: voice.vendorVoice, model }
      }

      return {
        providers: speakers.map(({ endpoint }) => endpoint.provider),

        voices(requested, { model, language }) {
          const standIns: string[] = []
          const voices = requested.flatMap((voice, index) => {
            // The model is one of the agent's own voice: another provider would not know it.
            const made = toAgentVoice(voice, index === 0 ? model : null)
            if (made !== null) return [made]
            standIns.push(missingVoice(voice, problems))
            return []
          })
          const [first = builtInVoice(builtIn, requested[0])] = voices
          const others = voices.slice(1)
          const all = [first, ...others]
          const rest = all.some(({ synthesizer }) => synthesizer === builtIn)
            ? others
            : [...others, builtInVoice(builtIn, requested[0])]
          if (first.synthesizer === builtIn && !builtIn.supports(language)) {
            standIns.push(`The built-in voices speak English; what is said in "${language}" will sound English.`)
          }
          return { voices: [first, ...rest], standIns }
        },

        recognition({ mode, provider }) {
          const model = OPENAI_MODELS_BY_MODE[mode === 'accurate' ? 'accurate' : 'fast']
          const candidates = [found && { endpoint: found, model }, own('transcription')].flatMap((one) => one ?? [])
          const { ordered, standIns } = orderTranscribers(candidates, mode === 'custom' ? provider : null)
          return {
            transcribers: ordered.map((one) => transcriberOf(one.endpoint, one.model)),
            standIns: [...problems, ...standIns],
          }
        },
      }
    },
  }
}

interface SpeechTargetModel {
  readonly endpoint: SpeechEndpoint
  readonly model: string
}

/** Whoever was asked for by name comes first; the others stand in. */
function orderTranscribers(candidates: readonly SpeechTargetModel[], requested: string | null) {
  const isRequested = ({ endpoint }: SpeechTargetModel): boolean => endpoint.provider === requested
  const ordered = [...candidates.filter(isRequested), ...candidates.filter((one) => !isRequested(one))]
  const [first] = ordered
  if (first === undefined || requested === null || isRequested(first)) return { ordered, standIns: [] }
  const { provider } = first.endpoint
  return { ordered, standIns: [`Speech recognition of "${requested}" is not configured: "${provider}" listens.`] }
}

function builtInVoice(synthesizer: Synthesizer, replacedVoice: ResolvedVoice | undefined): AgentVoice {
  return { synthesizer, voice: replacedVoice?.gender === 'male' ? BUILT_IN_MALE : BUILT_IN_FEMALE, model: null }
}

function missingVoice({ provider, vendorVoice }: ResolvedVoice, problems: readonly string[]): string {
  const reason = provider === 'openai' && problems.length > 0 ? ` ${problems.join(' ')}` : ''
  return `The voice "${vendorVoice}" of "${provider ?? 'unknown'}" cannot speak now: no such provider is connected.${reason}`
}

/** One client for each address, key and model. */
function getOrCreateClient<Client>(
  clients: Map<string, Client>,
  { provider, baseUrl, apiKey }: SpeechEndpoint,
  model: string,
  make: () => Client,
): Client {
  const name = JSON.stringify([provider, baseUrl, apiKey, model])
  const client = clients.get(name) ?? make()
  // Re-inserted, it is the newest: a Map keeps the order of insertion.
  clients.delete(name)
  clients.set(name, client)
  if (clients.size > MAX_CLIENTS) {
    for (const oldest of clients.keys()) {
      clients.delete(oldest)
      break
    }
  }
  return client
}
