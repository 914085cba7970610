import type { LlmEngine } from '@parley/engine/dialogue/conversation'
import type { Database } from '../../kernel/database.ts'
import { missingVersion } from '../../kernel/edits.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { AgentUse, PinnedAgent } from '../../kernel/pinned-agent.ts'
import { engineKindOf } from './agent-definition.ts'
import { agentName } from './agent-kind.ts'
import type { Engines, SourcedLlm } from './agent-ports.ts'
import { versionsOf } from './agent-store.ts'
import { freezeAgent } from './freeze-agent.ts'

/** Agents in use at the same time; with the largest prompts about 64 MB. */
const MAX_CACHED = 500

export interface AgentUseDependencies {
  readonly database: Database
  readonly engines: Engines
}

/** How conversations choose, freeze and load their agent, of either kind. */
export function createAgentUse({ database, engines }: AgentUseDependencies): AgentUse {
  const cache = new Map<string, PinnedAgent>()

  function remember(key: string, agent: PinnedAgent): PinnedAgent {
    // Re-inserted, it is the newest: a Map keeps the order of insertion.
    cache.delete(key)
    cache.set(key, agent)
    const [oldest] = cache.size > MAX_CACHED ? cache.keys() : []
    if (oldest !== undefined) cache.delete(oldest)
    return agent
  }

  return {
    async pin(transaction, { workspaceId, agentId, version, now }) {
      const store = versionsOf(agentId)
      const found = await store.find(transaction, workspaceId, agentId, version)
      if (found === null) throw missingVersion(agentName(agentId), version)
      const kind = engineKindOf(found.definition)
      const { engine } = found
      if (engine === null || kind !== 'llm') throw unavailable(agentId, kind)
      const engineVersion = await freezeAgent(transaction, { store, engines }, { found, now })
      if (engineVersion === null) throw unavailable(agentId, kind)
      return {
        agentId,
        agentVersion: found.version,
        agentName: found.definition.agent_name,
        engineKind: kind,
        engineId: engine.id,
        engineVersion,
      }
    },

    async load({ workspaceId, agentId, agentVersion, engineId, engineVersion }, reader = database.read) {
      const key = `${workspaceId}:${agentId}@${agentVersion}+${engineId}@${engineVersion}`
      const cached = cache.get(key)
      if (cached !== undefined) return remember(key, cached)
      const agent = await versionsOf(agentId).find(reader, workspaceId, agentId, agentVersion)
      if (agent === null) throw notFound(agentName(agentId).what, agentId)
      const llm = await engines.llm.find(reader, workspaceId, engineId, engineVersion)
      if (llm === null) throw notFound('LLM', engineId)
      const { timezone, fallback_models, fallback_message } = agent.definition
      return remember(key, {
        engine: toEngine(llm),
        timezone,
        fallbackModels: fallback_models,
        fallbackMessage: fallback_message,
      })
    },
  }
}

function toEngine({ id, version, definition }: SourcedLlm): LlmEngine {
  return {
    kind: 'llm',
    id,
    version,
    model: definition.model,
    generalPrompt: definition.general_prompt,
    beginMessage: definition.begin_message,
    tools: definition.general_tools,
    temperature: definition.model_temperature,
    defaultVariables: definition.default_dynamic_variables,
  }
}

function unavailable(agentId: string, kind: string): AppError {
  return new AppError(
    'engine_unavailable',
    `The ${agentName(agentId).what} "${agentId}" runs on an engine of type "${kind}", which this server does not run yet. Give it an "llm" engine.`,
  )
}
