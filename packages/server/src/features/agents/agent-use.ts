import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import {
  CONVERSATION_SETTINGS,
  POST_CONVERSATION_SETTINGS,
  WEBHOOK_SETTINGS,
} from '@parley/contract/agent-settings/conversation-settings'
import { CALL_OUTCOME_SETTINGS, CHAT_OUTCOME_SETTINGS } from '@parley/contract/agent-settings/outcome-settings'
import { optionsOf } from '@parley/contract/agent-settings/setting'
import type { AgentVoiceSettings } from '@parley/engine/voice/turn-settings'
import { createMissingVersionError } from '../../kernel/api/edits.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import type { ToolVault } from '../engines/public.ts'
import type { AgentWebhook } from '../webhooks/public.ts'
import { freezeAgent } from './agent-binding.ts'
import { type AgentDefinition, engineKindOf } from './agent-definition.ts'
import { agentName } from './agent-kind.ts'
import type { Engines } from './agent-ports.ts'
import { versionsOf } from './agent-store.ts'
import { type CallEngineSettings, loadEngine } from './load-engine.ts'
import type { AgentUse, PinnedAgent, PostProcessingSettings } from './pinned-agent.ts'
import {
  agentSettings,
  chatAgentSettings,
  type StoredAgentSettings,
  type StoredChatAgentSettings,
  speaks,
} from './pinned-agent.ts'

/** Agents in use at the same time, as JSON characters: at most about 100 MB in memory. */
const MAX_CHARACTERS = 32_000_000
/** Overhead of an entry besides its text. */
const ENTRY_OVERHEAD = 1_000

/** Frozen agents by pin, with least-recently-used eviction. */
interface AgentCache {
  get(key: string): PinnedAgent | undefined
  set(key: string, agent: PinnedAgent): void
}

export function createAgentCache(maxCharacters: number = MAX_CHARACTERS): AgentCache {
  const cache = new Map<string, { readonly agent: PinnedAgent; readonly characters: number }>()
  let total = 0

  return {
    get(key) {
      const found = cache.get(key)
      if (found === undefined) return undefined
      // Re-inserting makes the entry the newest: a Map keeps insertion order.
      cache.delete(key)
      cache.set(key, found)
      return found.agent
    },

    set(key, agent) {
      total -= cache.get(key)?.characters ?? 0
      cache.delete(key)
      const characters = ENTRY_OVERHEAD + JSON.stringify(agent).length
      cache.set(key, { agent, characters })
      total += characters
      for (const [oldest, entry] of cache) {
        if (total <= maxCharacters) break
        cache.delete(oldest)
        total -= entry.characters
      }
    },
  }
}

interface AgentUseDependencies {
  readonly database: Database
  readonly engines: Engines
  readonly vault: Pick<ToolVault, 'open'>
}

/** Chooses, freezes and loads the agent of a conversation, of either kind. */
export function createAgentUse({ database, engines, vault }: AgentUseDependencies): AgentUse {
  const cache = createAgentCache()
  /** Transactions that froze something: others may see what they read only after the commit. */
  const freezing = new WeakSet<Reader>()

  async function build(
    reader: Reader,
    agent: Versioned<AgentDefinition>,
    engine: { readonly id: string; readonly version: number | null } | null,
  ): Promise<PinnedAgent> {
    const { definition } = agent
    const loaded = await loadEngine(reader, { engines, vault }, { agent, engine })
    return {
      agentId: agent.id,
      agentVersion: agent.version,
      ...optionsOf(CONVERSATION_SETTINGS, definition),
      engine: loaded.engine,
      webhook: agentWebhookOf(definition),
      postProcessing: postProcessingSettingsOf(definition),
      voice: speaks(definition) ? agentVoiceOf(definition, loaded.callSettings) : null,
    }
  }

  return {
    async pin(transaction: Transaction, { workspaceId, agentId, version, now }) {
      const store = versionsOf(agentId)
      const found = await store.find(transaction, workspaceId, agentId, version)
      if (found === null) throw createMissingVersionError(agentName(agentId), version)
      if (!found.frozen) freezing.add(transaction)
      const engineVersion = await freezeAgent(transaction, { store, engines }, { found, now })
      return {
        agentId,
        agentVersion: found.version,
        agentName: found.definition.agent_name,
        engineKind: engineKindOf(found.definition),
        engineId: found.engine?.id ?? null,
        engineVersion,
      }
    },

    async load({ workspaceId, agentId, agentVersion, engineId, engineVersion }, reader = database.read) {
      const key = `${workspaceId}:${agentId}@${agentVersion}+${engineId}@${engineVersion}`
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      const agent = await versionsOf(agentId).find(reader, workspaceId, agentId, agentVersion)
      if (agent === null) throw notFound(agentName(agentId).what, agentId)
      const pinned = await build(reader, agent, engineId === null ? null : { id: engineId, version: engineVersion })
      if (agent.frozen && !freezing.has(reader)) cache.set(key, pinned)
      return pinned
    },

    async preview({ workspaceId, agentId, version }, reader = database.read) {
      const agent = await versionsOf(agentId).find(reader, workspaceId, agentId, version)
      if (agent === null) throw createMissingVersionError(agentName(agentId), version)
      return await build(reader, agent, agent.engine)
    },
  }
}

/** Call settings of an agent version, including those of its engine. */
function agentVoiceOf(definition: StoredAgentSettings, engine: CallEngineSettings): AgentVoiceSettings {
  const settings = agentSettings(definition)
  return {
    ...optionsOf(CALL_SETTINGS, settings),
    language: settings.language,
    responsiveness: engine.responsiveness,
    beginAfterUserSilenceMs: engine.beginAfterUserSilenceMs,
  }
}

/** Post-processing settings of an agent version. A chat with a voice agent is analyzed like its calls. */
export function postProcessingSettingsOf(
  definition: StoredAgentSettings | StoredChatAgentSettings,
): PostProcessingSettings {
  const { settings, outcome } = withOutcome(definition)
  const categories = settings.pii_config?.categories ?? []
  return {
    ...optionsOf(POST_CONVERSATION_SETTINGS, settings),
    ...outcome,
    piiCategories: categories.length === 0 ? PII_CATEGORIES : categories,
  }
}

function withOutcome(definition: StoredAgentSettings | StoredChatAgentSettings) {
  if (speaks(definition)) {
    const settings = agentSettings(definition)
    return { settings, outcome: optionsOf(CALL_OUTCOME_SETTINGS, settings) }
  }
  const settings = chatAgentSettings(definition)
  return { settings, outcome: optionsOf(CHAT_OUTCOME_SETTINGS, settings) }
}

/** Where an agent version sends events of its conversations. */
export function agentWebhookOf(definition: StoredAgentSettings | StoredChatAgentSettings): AgentWebhook {
  const { settings } = withOutcome(definition)
  return { ...optionsOf(WEBHOOK_SETTINGS, settings), events: settings.webhook_events }
}
