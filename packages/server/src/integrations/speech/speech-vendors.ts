import type { Clock } from '@parley/engine/ports'
import type { Transcriber } from '@parley/engine/voice/ports'
import type { AgentVoice } from '@parley/engine/voice/session/session-ports'
import type { WorkspaceSpeech as CallSpeech, TranscriberRequest } from '../../features/calls/public.ts'
import type { VendorKeys } from '../../features/vendor-keys/public.ts'
import type { ResolvedVoice } from '../../features/voices/public.ts'
import type { FliteSynthesizer } from './flite/flite-synthesizer.ts'
import { createSpeechClients, type SpeechClients, type SpeechTarget } from './speech-clients.ts'
import {
  type EndpointResult,
  findEndpoint,
  type KeyedSpeechVendorId,
  type SpeechNetwork,
  type SpeechServerSettings,
  type SpeechVendorId,
  toServerEndpoint,
} from './speech-endpoints.ts'
import { SPEECH_VENDORS } from './vendor-table.ts'

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
  readonly voiceVendors: readonly SpeechVendorId[]
}

export interface SpeechVendors {
  forWorkspace(workspaceId: number): Promise<WorkspaceSpeech>
}

/** Speech settings of the operator. */
export interface SpeechSettings {
  /** `SPEECH_BASE_URL`, `SPEECH_API_KEY`, `SPEECH_MODEL`. */
  readonly synthesis: SpeechServerSettings | null
  /** Voices of the server (`SPEECH_VOICES`), because the API cannot list them. */
  readonly voices: readonly string[]
  /** `TRANSCRIPTION_BASE_URL`, `TRANSCRIPTION_API_KEY`, `TRANSCRIPTION_MODEL`. */
  readonly transcription: SpeechServerSettings | null
}

/** The built-in recognizer, which needs no vendor. */
export interface BuiltInTranscriber extends Transcriber {
  /** Whether the recognizer understands a language tag such as `en-US`. */
  supports(language: string): boolean
  /** Loads the model in advance, so that the first words are recognized without delay. */
  warmUp(): unknown
}

export interface SpeechVendorsOptions {
  readonly settings: SpeechSettings
  readonly keys: VendorKeys
  readonly clock: Clock
  readonly builtIn: Pick<FliteSynthesizer, 'name' | 'synthesize' | 'supports'>
  /** Null if the operator turned the built-in recognizer off. */
  readonly builtInTranscriber: BuiltInTranscriber | null
  /** For vendors' default URLs and the operator's URLs. */
  readonly direct: SpeechNetwork
  /** For URLs that customers configure. It blocks internal networks. */
  readonly guarded: SpeechNetwork
}

/** The provider of built-in voices, and of the built-in recognizer in `custom_stt_config`. */
const BUILT_IN = 'builtin'
/** Built-in fallback voices by the gender of the replaced voice. */
const BUILT_IN_FEMALE = 'slt'
const BUILT_IN_MALE = 'rms'

const VENDOR_IDS = Object.keys(SPEECH_VENDORS) as readonly SpeechVendorId[]
const KEYED_VENDOR_IDS = VENDOR_IDS.filter((vendor): vendor is KeyedSpeechVendorId => vendor !== 'speech')

/** Creates the speech vendors. Settings and keys are read for each call, so that a new key applies immediately. */
export function createSpeechVendors(options: SpeechVendorsOptions): SpeechVendors {
  const clients = createSpeechClients(options.clock)
  return {
    async forWorkspace(workspaceId) {
      const results = new Map<KeyedSpeechVendorId, EndpointResult>()
      await Promise.all(
        KEYED_VENDOR_IDS.map(async (vendor) => {
          results.set(vendor, await findEndpoint(vendor, workspaceId, options))
        }),
      )
      return createWorkspaceSpeech(options, clients, results)
    },
  }
}

type EndpointResults = ReadonlyMap<KeyedSpeechVendorId, EndpointResult>

function createWorkspaceSpeech(
  { settings, builtIn, builtInTranscriber, direct }: SpeechVendorsOptions,
  clients: SpeechClients,
  results: EndpointResults,
): WorkspaceSpeech {
  const voiceTargets = listTargets(
    results,
    toServerTarget(settings.synthesis, direct),
    (vendor) => SPEECH_VENDORS[vendor].synthesis?.model ?? null,
  )

  function findVoice(voice: ResolvedVoice, model: string | null): AgentVoice | null {
    if (voice.provider === BUILT_IN) return { synthesizer: builtIn, voice: voice.vendorVoice, model: null }
    const target = voiceTargets.find(({ endpoint }) => endpoint.vendor === voice.provider)
    if (target === undefined) return null
    const synthesizer = clients.getSynthesizer({ ...target, model: model ?? target.model })
    return synthesizer && { synthesizer, voice: voice.vendorVoice, model }
  }

  function selectTranscribers({ mode, provider, language }: TranscriberRequest) {
    const server = toServerTarget(settings.transcription, direct)
    const request = { mode: mode === 'accurate' ? mode : 'fast', language } as const
    const targets = listTargets(
      results,
      server,
      (vendor) => SPEECH_VENDORS[vendor].transcription?.selectModel(request) ?? null,
    )
    const candidates: TranscriberCandidate[] = targets.flatMap((target) => {
      const transcriber = clients.getTranscriber(target)
      return transcriber === null ? [] : [{ provider: target.endpoint.vendor, transcriber }]
    })
    const requestedProvider = mode === 'custom' ? provider : null
    if (
      builtInTranscriber?.supports(language) === true &&
      (candidates.length === 0 || requestedProvider === BUILT_IN)
    ) {
      candidates.push({ provider: BUILT_IN, transcriber: builtInTranscriber })
    }
    const { transcribers, standIns } = orderTranscribers(candidates, requestedProvider)
    const problems = KEYED_VENDOR_IDS.filter((vendor) => SPEECH_VENDORS[vendor].transcription !== null)
      .map((vendor) => getProblem(results, vendor))
      .filter((problem) => problem !== null)
    return { transcribers, standIns: [...problems, ...standIns] }
  }

  return {
    voiceVendors: voiceTargets.map(({ endpoint }) => endpoint.vendor),
    selectTranscribers,

    warmUpTranscriber(request) {
      const [transcriber] = selectTranscribers(request).transcribers
      if (transcriber !== undefined && transcriber === builtInTranscriber) builtInTranscriber.warmUp()
    },

    selectVoices: (requested, { model, language }) =>
      addBuiltInVoice(
        builtIn,
        requested.map((voice, index) => ({
          voice,
          // The model belongs to the agent's main voice. Other vendors do not support it.
          agentVoice: findVoice(voice, index === 0 ? model : null),
          problem: getProblem(results, voice.provider),
        })),
        language,
      ),
  }
}

interface RequestedVoice {
  readonly voice: ResolvedVoice
  /** Null if the voice is not available. */
  readonly agentVoice: AgentVoice | null
  /** Why the vendor's stored key is unusable, or null. */
  readonly problem: string | null
}

/** Keeps the available voices, and adds a built-in voice unless there is one. */
function addBuiltInVoice(
  builtIn: SpeechVendorsOptions['builtIn'],
  requested: readonly RequestedVoice[],
  language: string,
): VoiceSelection {
  const standIns = requested
    .filter(({ agentVoice }) => agentVoice === null)
    .map(({ voice, problem }) => describeMissingVoice(voice, problem))
  const voices = requested.map(({ agentVoice }) => agentVoice).filter((agentVoice) => agentVoice !== null)
  const fallbackName = requested[0]?.voice.gender === 'male' ? BUILT_IN_MALE : BUILT_IN_FEMALE
  const builtInVoice: AgentVoice = { synthesizer: builtIn, voice: fallbackName, model: null }
  const hasBuiltInVoice = voices.some(({ synthesizer }) => synthesizer === builtIn)
  const [mainVoice = builtInVoice, ...fallbackVoices] = hasBuiltInVoice ? voices : [...voices, builtInVoice]
  if (mainVoice.synthesizer === builtIn && !builtIn.supports(language)) {
    standIns.push(`The built-in voices speak English only; "${language}" will sound like English.`)
  }
  return { voices: [mainVoice, ...fallbackVoices], standIns }
}

/** Lists the configured vendors in the order of the table, except those for which `getModel` returns null. */
function listTargets(
  results: EndpointResults,
  server: SpeechTarget | null,
  getModel: (vendor: KeyedSpeechVendorId) => string | null,
): SpeechTarget[] {
  const keyedTargets = KEYED_VENDOR_IDS.flatMap((vendor) => {
    const result = results.get(vendor)
    const model = getModel(vendor)
    return result?.kind === 'found' && model !== null ? [{ endpoint: result.endpoint, model }] : []
  })
  return server === null ? keyedTargets : [...keyedTargets, server]
}

function toServerTarget(server: SpeechServerSettings | null, network: SpeechNetwork): SpeechTarget | null {
  return server && { endpoint: toServerEndpoint(server, network), model: server.model }
}

/** Returns why the vendor's stored key is unusable, or null. */
function getProblem(results: EndpointResults, vendor: string | null): string | null {
  const result = results.get(vendor as KeyedSpeechVendorId)
  return result?.kind === 'unusable' ? result.message : null
}

interface TranscriberCandidate {
  readonly provider: string
  readonly transcriber: Transcriber
}

/** Orders the candidates: the requested vendor first, then its fallbacks. */
function orderTranscribers(candidates: readonly TranscriberCandidate[], requestedProvider: string | null) {
  const isRequested = ({ provider }: TranscriberCandidate): boolean => provider === requestedProvider
  const ordered = [...candidates.filter(isRequested), ...candidates.filter((candidate) => !isRequested(candidate))]
  const transcribers = ordered.map(({ transcriber }) => transcriber)
  const [preferred] = ordered
  if (preferred === undefined || requestedProvider === null || isRequested(preferred)) {
    return { transcribers, standIns: [] }
  }
  const message = `Speech recognition of "${requestedProvider}" is not configured: "${preferred.provider}" is used instead.`
  return { transcribers, standIns: [message] }
}

function describeMissingVoice({ provider, vendorVoice }: ResolvedVoice, problem: string | null): string {
  const reason = problem === null ? '' : ` ${problem}`
  return `The voice "${vendorVoice}" of "${provider ?? 'unknown'}" is not available: the provider is not connected.${reason}`
}
