import { CONVERSATION_SETTINGS } from '@parley/contract/agent-settings/conversation-settings'
import { optionsOf } from '@parley/contract/agent-settings/setting'
import { missingVersion } from '../../kernel/api/edits.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import type { ToolVault } from '../engines/public.ts'
import { createAgentCache } from './agent-cache.ts'
import { type AgentDefinition, engineKindOf } from './agent-definition.ts'
import { agentName } from './agent-kind.ts'
import { agentVoiceOf, agentWebhookOf, postProcessingSettingsOf } from './agent-options.ts'
import type { Engines } from './agent-ports.ts'
import { speaks } from './agent-settings.ts'
import { versionsOf } from './agent-store.ts'
import { freezeAgent } from './freeze-agent.ts'
import { loadEngine } from './load-engine.ts'
import type { AgentUse, PinnedAgent } from './pinned-agent.ts'

export interface AgentUseDependencies {
  readonly database: Database
  readonly engines: Engines
  readonly vault: Pick<ToolVault, 'open'>
}

/** How conversations choose, freeze and load their agent, of either kind. */
export function createAgentUse({ database, engines, vault }: AgentUseDependencies): AgentUse {
  const cache = createAgentCache()
  /** Units of work that froze something: what they read is true for others only once they are committed. */
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
      if (found === null) throw missingVersion(agentName(agentId), version)
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
      if (agent === null) throw missingVersion(agentName(agentId), version)
      return await build(reader, agent, agent.engine)
    },
  }
}
