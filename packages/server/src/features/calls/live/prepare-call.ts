import type { LegRateHz } from '@parley/engine/audio/frame'
import type { DialogueDependencies, ResponseEngine } from '@parley/engine/dialogue/conversation'
import { mergeConversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import { renderTemplate, type VariableLookup } from '@parley/engine/dialogue/variables/variables'
import type { Clock, ResolveModel } from '@parley/engine/ports'
import type {
  LegCapabilities,
  MediaLeg,
  OpenTurnDetector,
  OpenVoiceClassifier,
  Transcriber,
} from '@parley/engine/voice/ports'
import type { AgentVoice, VoiceAgent } from '@parley/engine/voice/session/session-ports'
import { getFallbackSentence } from '@parley/engine/voice/speaking/fallback-sentences'
import type { AgentVoiceSettings } from '@parley/engine/voice/turn-settings'
import { buildSpeakingSettings, buildTurnSettings, type NodeVoiceSettings } from '@parley/engine/voice/turn-settings'
import { AppError } from '../../../kernel/errors.ts'
import { type AgentResolver, checkModels, type PinnedAgent, type UsableModels } from '../../agents/public.ts'
import type { ResolvedVoice } from '../../voices/public.ts'
import type { StoredCall } from '../call-responses.ts'
import type { StartedCall } from '../live-calls.ts'
import {
  type CallSpeech,
  type FindVoice,
  getEndpointingMs,
  getTranscriberRequest,
  type TurnDetectors,
  type VoiceClassifiers,
  type WorkspaceSpeech,
} from './live-ports.ts'

/** 99th percentile of the time that a browser takes to finalize a transcript. */
const BROWSER_FINAL_P99_MS = 900

interface VoiceAgentsOptions {
  readonly workspaceId: number
  readonly speech: WorkspaceSpeech
  readonly findVoice: FindVoice
  readonly rateHz: LegRateHz
  /** Server-side transcribers of the first agent. Empty if the client recognizes speech. */
  readonly transcribers: readonly Transcriber[]
  /** Returns the initial variables, which keywords can reference. */
  readonly getInitialVariables: (agent: PinnedAgent) => Parameters<typeof mergeConversationVariables>[0]
}

interface LoadedVoice {
  readonly settings: AgentVoiceSettings
  readonly engine: ResponseEngine
  readonly voices: readonly AgentVoice[]
  /** The agent's transcribers, or the call's if the agent has none. */
  readonly transcribers: readonly Transcriber[]
  readonly fallbackMessage: string | null
}

/** Voices and transcribers of the agents in one call, including agents that take over the call. */
class VoiceAgents {
  readonly #options: VoiceAgentsOptions
  readonly #loadedVoices = new Map<string, LoadedVoice>()
  readonly #standIns = new Set<string>()
  /** Releases the voice connections of the call. */
  readonly #releases: (() => void)[] = []
  #isClosed = false

  constructor(options: VoiceAgentsOptions) {
    this.#options = options
  }

  /** Connects to the agent's voice in advance, because connecting would delay the first word. */
  connect({ speaking: { voices, language } }: VoiceAgent): void {
    const [mainVoice] = voices
    if (mainVoice === undefined || this.#isClosed) return
    const { synthesizer, voice, model } = mainVoice
    const release = synthesizer.connect?.({ voice, model, language, rateHz: this.#options.rateHz })
    if (release !== undefined) this.#releases.push(release)
  }

  /** Releases the connections to voices. Must be called when the call ends. */
  close(): void {
    this.#isClosed = true
    for (const release of this.#releases.splice(0)) release()
  }

  /** One message for each replaced voice. */
  get standIns(): readonly string[] {
    return [...this.#standIns]
  }

  /** Loads an agent's voices. Throws `invalid_request` if the agent has no voice. */
  async load(agent: PinnedAgent): Promise<VoiceAgent> {
    const { voice: settings, engine, fallbackMessage } = agent
    if (settings === null) throw new AppError('invalid_request', 'A chat agent has no voice.')
    const { speech } = this.#options
    const requestedVoices = await this.#findVoices([settings.voiceId, ...settings.fallbackVoiceIds])
    const { voices, standIns } = speech.selectVoices(requestedVoices, {
      model: settings.voiceModel,
      language: settings.language,
    })
    for (const sentence of standIns) this.#standIns.add(sentence)
    const { transcribers } = speech.selectTranscribers(getTranscriberRequest(agent))
    const lookup = mergeConversationVariables(this.#options.getInitialVariables(agent))
    const message = renderTemplate(fallbackMessage ?? '', lookup).trim()
    this.#loadedVoices.set(agent.agentId, {
      settings,
      engine,
      voices,
      transcribers: transcribers.length > 0 ? transcribers : this.#options.transcribers,
      fallbackMessage: message === '' ? null : message,
    })
    return this.#buildVoiceAgent(agent, { keywords: renderKeywords(settings, lookup) })
  }

  /** Returns the agent with the voice settings of a flow node. */
  applyNodeSettings(agent: VoiceAgent, nodeId: string): VoiceAgent {
    const loadedVoice = this.#loadedVoices.get(agent.agentId)
    const node = loadedVoice === undefined ? null : findNode(loadedVoice.engine, nodeId)
    return node === null ? agent : this.#buildVoiceAgent(agent, { keywords: agent.keywords, node })
  }

  async #findVoices(ids: readonly string[]): Promise<readonly ResolvedVoice[]> {
    const { findVoice, workspaceId } = this.#options
    const voices = await Promise.all(ids.map((id) => findVoice(workspaceId, id)))
    return voices.filter((voice) => voice !== null)
  }

  #buildVoiceAgent(
    { agentId, agentName }: Pick<VoiceAgent, 'agentId' | 'agentName'>,
    { keywords, node = {} }: { readonly keywords: readonly string[]; readonly node?: NodeVoiceSettings },
  ): VoiceAgent {
    const loadedVoice = this.#loadedVoices.get(agentId)
    if (loadedVoice === undefined) throw new Error('The agent must be loaded first.')
    const { settings, voices, transcribers, fallbackMessage } = loadedVoice
    const callSettings = {
      agentName,
      fallbackSentence: fallbackMessage ?? getFallbackSentence(settings.language),
      transcriberP99Ms: transcribers[0]?.finalP99Ms ?? BROWSER_FINAL_P99_MS,
    }
    return {
      agentId,
      agentName,
      turns: buildTurnSettings(settings, callSettings, node),
      speaking: { ...buildSpeakingSettings(settings, node), voices },
      keywords,
      endpointingMs: getEndpointingMs(settings),
      transcribers,
    }
  }
}

function renderKeywords({ boostedKeywords }: AgentVoiceSettings, lookup: VariableLookup): string[] {
  return boostedKeywords.map((keyword) => renderTemplate(keyword, lookup).trim()).filter((keyword) => keyword !== '')
}

/** Finds a node by id. The flow's node takes precedence over a component's node with the same id. */
function findNode(engine: ResponseEngine, nodeId: string): NodeVoiceSettings | null {
  if (engine.kind !== 'conversation-flow') return null
  for (const graph of [engine, ...Object.values(engine.components)]) {
    const node = graph.nodes.find(({ id }) => id === nodeId)
    if (node !== undefined) return node as NodeVoiceSettings
  }
  return null
}

export interface PreparationDependencies {
  readonly clock: Clock
  readonly agents: Pick<AgentResolver, 'load'>
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly createDialogueDependencies: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly speech: CallSpeech
  readonly findVoice: FindVoice
  readonly classifiers: () => Promise<VoiceClassifiers>
  /** Absent if no model is configured. */
  readonly turnDetectors?: TurnDetectors | undefined
}

/** The resources that a call requires. They are loaded before a slot is acquired. */
export interface PreparedCall {
  readonly agent: PinnedAgent
  readonly dialogue: DialogueDependencies
  readonly transcribers: readonly Transcriber[]
  readonly recognition: StartedCall['recognition']
  readonly voiceAgents: VoiceAgents
  readonly voiceAgent: VoiceAgent
  readonly openClassifier: OpenVoiceClassifier
  readonly openTurnDetector: OpenTurnDetector | undefined
  readonly standIns: readonly string[]
}

/** Model deadlines of calls. They are long because a turn times out earlier. */
const MODEL_DEADLINES = { firstTokenMs: 60_000, idleMs: 20_000, totalMs: 300_000 }

/** Loads a call's agent, models, transcribers and voices. Throws if a required resource is missing. */
export async function prepareCall(
  dependencies: PreparationDependencies,
  call: StoredCall,
  leg: MediaLeg,
): Promise<PreparedCall> {
  const { agents, models, speech, classifiers, turnDetectors, findVoice, clock } = dependencies
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = call
  const pin = { workspaceId, agentId, agentVersion, engineId: call.engine_id, engineVersion: call.engine_version }
  const [agent, usableModels, workspaceSpeech, voiceClassifiers] = await Promise.all([
    agents.load(pin),
    models.forWorkspace(workspaceId),
    speech.forWorkspace(workspaceId),
    classifiers(),
  ])
  checkModels(agent, usableModels)
  const { transcribers, standIns } = workspaceSpeech.selectTranscribers(getTranscriberRequest(agent))
  const { capabilities } = leg
  const recognition = transcribers.length > 0 ? 'server' : capabilities.recognizesSpeech ? 'browser' : 'none'
  const voiceAgents = new VoiceAgents({
    workspaceId,
    speech: workspaceSpeech,
    findVoice,
    rateHz: leg.rateHz,
    transcribers,
    getInitialVariables: ({ engine, timezone }) => ({
      engine,
      timezone,
      variables: { system: {}, given: JSON.parse(call.given_variables) as Record<string, string>, override: {} },
      collected: {},
      nowMs: clock.now(),
    }),
  })
  const voiceAgent = await voiceAgents.load(agent)
  const preparedCall: PreparedCall = {
    agent,
    dialogue: {
      ...dependencies.createDialogueDependencies(workspaceId, usableModels.resolve),
      deadlines: MODEL_DEADLINES,
    },
    transcribers,
    recognition,
    voiceAgents,
    voiceAgent,
    openClassifier: (onResult) => voiceClassifiers.open(leg.rateHz, onResult),
    openTurnDetector: turnDetectors === undefined ? undefined : () => turnDetectors.open(leg.rateHz),
    standIns: recognition === 'server' ? standIns : [...standIns, getRecognitionNote(capabilities)],
  }
  // Last, because a failed preparation releases nothing.
  voiceAgents.connect(voiceAgent)
  return preparedCall
}

/** Returns a message that explains how speech is recognized without a vendor. */
function getRecognitionNote({ recognizesSpeech, acceptsText }: LegCapabilities): string {
  if (recognizesSpeech) {
    return "No speech recognition vendor is configured. The caller's browser recognizes speech."
  }
  if (!acceptsText) return 'Speech is not recognized in this call because no speech recognition vendor is configured.'
  return 'Speech is not recognized in this call. No vendor is configured, and the browser does not support it. Type your message.'
}
