import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import {
  CONVERSATION_SETTINGS,
  POST_CONVERSATION_SETTINGS,
  WEBHOOK_SETTINGS,
} from '@parley/contract/agent-settings/conversation-settings'
import { CALL_OUTCOME_SETTINGS, CHAT_OUTCOME_SETTINGS } from '@parley/contract/agent-settings/outcome-settings'
import { toEngineOptions } from '@parley/contract/agent-settings/setting'
import type { AgentVoiceSettings } from '@parley/engine/voice/turn-settings'
import { createMissingVersionError } from '../../kernel/api/edits.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import type { ToolVault } from '../engines/public.ts'
import type { AgentWebhook } from '../webhooks/public.ts'
import { freezeAgent } from './agent-binding.ts'
import { type AgentDefinition, getAgentEngineKind } from './agent-definition.ts'
import { toAgentResourceName } from './agent-kind.ts'
import type { Engines } from './agent-ports.ts'
import { getAgentVersionStore } from './agent-store.ts'
import { type CallEngineSettings, loadEngine } from './load-engine.ts'
import type { AgentResolver, PinnedAgent, PostProcessingSettings } from './pinned-agent.ts'
import {
  completeAgentSettings,
  completeChatAgentSettings,
  isVoiceAgent,
  type StoredAgentSettings,
  type StoredChatAgentSettings,
} from './pinned-agent.ts'

/** Maximum size of the cached agents in JSON characters, which corresponds to about 100 MB of memory. */
const MAX_CHARACTERS = 32_000_000
/** Size of a cache entry in addition to its JSON. */
const ENTRY_OVERHEAD = 1_000

/** A cache of frozen agents by pin with least-recently-used eviction. */
interface AgentCache {
  get(key: string): PinnedAgent | undefined
  set(key: string, agent: PinnedAgent): void
}

export function createAgentCache(maxCharacters: number = MAX_CHARACTERS): AgentCache {
  const cache = new Map<string, { readonly agent: PinnedAgent; readonly characters: number }>()
  let totalCharacters = 0

  return {
    get(key) {
      const entry = cache.get(key)
      if (entry === undefined) return undefined
      // A Map keeps insertion order, so re-inserting an entry makes it the most recently used.
      cache.delete(key)
      cache.set(key, entry)
      return entry.agent
    },

    set(key, agent) {
      totalCharacters -= cache.get(key)?.characters ?? 0
      cache.delete(key)
      const characters = ENTRY_OVERHEAD + JSON.stringify(agent).length
      cache.set(key, { agent, characters })
      totalCharacters += characters
      for (const [oldestKey, entry] of cache) {
        if (totalCharacters <= maxCharacters) break
        cache.delete(oldestKey)
        totalCharacters -= entry.characters
      }
    },
  }
}

interface AgentResolverDependencies {
  readonly database: Database
  readonly engines: Engines
  readonly vault: Pick<ToolVault, 'decrypt'>
}

/** Creates the service that selects, freezes and loads the agents of conversations. */
export function createAgentResolver({ database, engines, vault }: AgentResolverDependencies): AgentResolver {
  const cache = createAgentCache()
  /** Transactions that froze a version. Their reads must not be cached before the commit. */
  const freezingTransactions = new WeakSet<Reader>()

  async function buildPinnedAgent(
    reader: Reader,
    agent: Versioned<AgentDefinition>,
    engine: { readonly id: string; readonly version: number | null } | null,
  ): Promise<PinnedAgent> {
    const { definition } = agent
    const loadedEngine = await loadEngine(reader, { engines, vault }, { agent, engine })
    return {
      agentId: agent.id,
      agentVersion: agent.version,
      ...toEngineOptions(CONVERSATION_SETTINGS, definition),
      engine: loadedEngine.engine,
      webhook: buildAgentWebhook(definition),
      postProcessing: buildPostProcessingSettings(definition),
      voice: isVoiceAgent(definition) ? buildVoiceSettings(definition, loadedEngine.callSettings) : null,
    }
  }

  return {
    async pin(transaction: Transaction, { workspaceId, agentId, version, now }) {
      const store = getAgentVersionStore(agentId)
      const agentVersion = await store.find(transaction, workspaceId, agentId, version)
      if (agentVersion === null) throw createMissingVersionError(toAgentResourceName(agentId), version)
      if (!agentVersion.frozen) freezingTransactions.add(transaction)
      const engineVersion = await freezeAgent(transaction, { store, engines }, { agentVersion, now })
      return {
        agentId,
        agentVersion: agentVersion.version,
        agentName: agentVersion.definition.agent_name,
        engineKind: getAgentEngineKind(agentVersion.definition),
        engineId: agentVersion.engine?.id ?? null,
        engineVersion,
      }
    },

    async load({ workspaceId, agentId, agentVersion, engineId, engineVersion }, reader = database.read) {
      const key = `${workspaceId}:${agentId}@${agentVersion}+${engineId}@${engineVersion}`
      const cachedAgent = cache.get(key)
      if (cachedAgent !== undefined) return cachedAgent
      const agent = await getAgentVersionStore(agentId).find(reader, workspaceId, agentId, agentVersion)
      if (agent === null) throw notFound(toAgentResourceName(agentId).kind, agentId)
      const pinnedAgent = await buildPinnedAgent(
        reader,
        agent,
        engineId === null ? null : { id: engineId, version: engineVersion },
      )
      if (agent.frozen && !freezingTransactions.has(reader)) cache.set(key, pinnedAgent)
      return pinnedAgent
    },

    async preview({ workspaceId, agentId, version }, reader = database.read) {
      const agent = await getAgentVersionStore(agentId).find(reader, workspaceId, agentId, version)
      if (agent === null) throw createMissingVersionError(toAgentResourceName(agentId), version)
      return await buildPinnedAgent(reader, agent, agent.engine)
    },
  }
}

/** Returns an agent version's call settings, including the settings from its engine. */
function buildVoiceSettings(definition: StoredAgentSettings, engine: CallEngineSettings): AgentVoiceSettings {
  const settings = completeAgentSettings(definition)
  return {
    ...toEngineOptions(CALL_SETTINGS, settings),
    language: settings.language,
    responsiveness: engine.responsiveness,
    beginAfterUserSilenceMs: engine.beginAfterUserSilenceMs,
  }
}

/** Returns an agent version's post-processing settings. A chat with a voice agent is analyzed like the agent's calls. */
export function buildPostProcessingSettings(
  definition: StoredAgentSettings | StoredChatAgentSettings,
): PostProcessingSettings {
  const { settings, outcome } = completeOutcomeSettings(definition)
  const categories = settings.pii_config?.categories ?? []
  return {
    ...toEngineOptions(POST_CONVERSATION_SETTINGS, settings),
    ...outcome,
    piiCategories: categories.length === 0 ? PII_CATEGORIES : categories,
  }
}

function completeOutcomeSettings(definition: StoredAgentSettings | StoredChatAgentSettings) {
  if (isVoiceAgent(definition)) {
    const settings = completeAgentSettings(definition)
    return { settings, outcome: toEngineOptions(CALL_OUTCOME_SETTINGS, settings) }
  }
  const settings = completeChatAgentSettings(definition)
  return { settings, outcome: toEngineOptions(CHAT_OUTCOME_SETTINGS, settings) }
}

/** Returns the webhook settings for an agent version's conversation events. */
export function buildAgentWebhook(definition: StoredAgentSettings | StoredChatAgentSettings): AgentWebhook {
  const { settings } = completeOutcomeSettings(definition)
  return { ...toEngineOptions(WEBHOOK_SETTINGS, settings), events: settings.webhook_events }
}
