import type { ResponseEngine } from '@parley/engine/dialogue/conversation'
import { conversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import { renderTemplate, type VariableLookup } from '@parley/engine/dialogue/variables/variables'
import type { AgentVoiceSettings } from '@parley/engine/voice/agent-voice-settings'
import type { Transcriber } from '@parley/engine/voice/ports'
import type { AgentVoice, VoiceAgent } from '@parley/engine/voice/session/session-ports'
import { fallbackSentence } from '@parley/engine/voice/speaking/fallback-sentences'
import { type NodeVoiceSettings, speakingSettings, turnSettings } from '@parley/engine/voice/turn-settings'
import { AppError } from '../../../kernel/errors.ts'
import type { PinnedAgent } from '../../agents/public.ts'
import type { ResolvedVoice } from '../../voices/public.ts'
import type { FindVoice, WorkspaceSpeech } from './live-ports.ts'

/** How long a caller's own end takes to be sure of what it heard. */
const BROWSER_FINAL_P99_MS = 900

export interface VoiceAgentsOptions {
  readonly workspaceId: number
  readonly speech: WorkspaceSpeech
  readonly findVoice: FindVoice
  readonly cancelsEcho: boolean
  /** Empty: the caller's end recognises speech. */
  readonly transcribers: readonly Transcriber[]
  /** Variables as the call begins: keywords may hold them. */
  readonly variablesOf: (agent: PinnedAgent) => Parameters<typeof conversationVariables>[0]
}

interface LoadedVoice {
  readonly settings: AgentVoiceSettings
  readonly engine: ResponseEngine
  readonly voices: readonly AgentVoice[]
  readonly fallbackMessage: string | null
}

/** How the agents of one call sound and listen: the one that it began with and those that it is handed over to. */
export class VoiceAgents {
  readonly #options: VoiceAgentsOptions
  readonly #known = new Map<string, LoadedVoice>()
  readonly #standIns = new Set<string>()

  constructor(options: VoiceAgentsOptions) {
    this.#options = options
  }

  /** One sentence for each voice that is not as its agent wants it. */
  get standIns(): readonly string[] {
    return [...this.#standIns]
  }

  /** Finds the voices of an agent. Throws `invalid_request` for one without a voice. */
  async load(agent: PinnedAgent): Promise<VoiceAgent> {
    const { voice: settings, engine, fallbackMessage } = agent
    if (settings === null) throw new AppError('invalid_request', 'A chat agent has no voice.')
    const { speech } = this.#options
    const wanted = await this.#voices([settings.voiceId, ...settings.fallbackVoiceIds])
    const { voices, standIns } = speech.voices(wanted, { model: settings.voiceModel, language: settings.language })
    for (const sentence of standIns) this.#standIns.add(sentence)
    const lookup = conversationVariables(this.#options.variablesOf(agent))
    const message = renderTemplate(fallbackMessage ?? '', lookup).trim()
    this.#known.set(agent.agentId, { settings, engine, voices, fallbackMessage: message === '' ? null : message })
    return this.#describe(agent, { keywords: keywordsOf(settings, lookup) })
  }

  /** The agent as it is at a node of its flow. */
  atNode(agent: VoiceAgent, nodeId: string): VoiceAgent {
    const known = this.#known.get(agent.agentId)
    const node = known === undefined ? null : findNode(known.engine, nodeId)
    return node === null ? agent : this.#describe(agent, { keywords: agent.keywords, node })
  }

  async #voices(ids: readonly string[]): Promise<readonly ResolvedVoice[]> {
    const { findVoice, workspaceId } = this.#options
    const found = await Promise.all(ids.map((id) => findVoice(workspaceId, id)))
    return found.filter((voice) => voice !== null)
  }

  #describe(
    { agentId, agentName }: Pick<VoiceAgent, 'agentId' | 'agentName'>,
    { keywords, node = {} }: { readonly keywords: readonly string[]; readonly node?: NodeVoiceSettings },
  ): VoiceAgent {
    const known = this.#known.get(agentId)
    if (known === undefined) throw new Error('The agent of a call is described before it is loaded.')
    const { settings, voices, fallbackMessage } = known
    const { cancelsEcho, transcribers } = this.#options
    const call = {
      agentName,
      fallbackSentence: fallbackMessage ?? fallbackSentence(settings.language),
      transcriberP99Ms: transcribers[0]?.finalP99Ms ?? BROWSER_FINAL_P99_MS,
      cancelsEcho,
    }
    return {
      agentId,
      agentName,
      turns: turnSettings(settings, call, node),
      speaking: { ...speakingSettings(settings, node), voices },
      keywords,
    }
  }
}

function keywordsOf({ boostedKeywords }: AgentVoiceSettings, lookup: VariableLookup): string[] {
  return boostedKeywords.map((word) => renderTemplate(word, lookup).trim()).filter((word) => word !== '')
}

/** Ids of nodes are unique within a graph; a component's node stands behind the flow's own of the same id. */
function findNode(engine: ResponseEngine, nodeId: string): NodeVoiceSettings | null {
  if (engine.kind !== 'conversation-flow') return null
  for (const graph of [engine, ...Object.values(engine.components)]) {
    const node = graph.nodes.find(({ id }) => id === nodeId)
    if (node !== undefined) return node as NodeVoiceSettings
  }
  return null
}
