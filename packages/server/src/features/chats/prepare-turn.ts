import type { ResolveModel } from '@parley/engine/ports'
import { AppError } from '../../kernel/errors.ts'
import type { AgentUse, PinnedAgent } from '../../kernel/pinned-agent.ts'
import type { ChatRow } from '../../kernel/tables/chat-tables.ts'
import { chatEnded } from './turn-problems.ts'

/** Which models a workspace can use now. */
export interface UsableModels {
  readonly resolve: ResolveModel
  /** What can be named now, for messages. */
  configured(): readonly string[]
}

export interface PrepareTurnDependencies {
  readonly agents: AgentUse
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
}

/** Who answers in a chat, and with which models. */
export interface PreparedTurn {
  readonly agent: PinnedAgent
  readonly resolveModel: ResolveModel
}

/** Everything that can refuse a message before it is stored. */
export async function prepareTurn(dependencies: PrepareTurnDependencies, chat: ChatRow): Promise<PreparedTurn> {
  if (chat.status !== 'ongoing') throw chatEnded(chat.chat_id)
  const loading = dependencies.agents.load({
    workspaceId: chat.workspace_id,
    agentId: chat.agent_id,
    agentVersion: chat.agent_version,
    engineId: chat.engine_id ?? '',
    engineVersion: chat.engine_version ?? 0,
  })
  const [agent, models] = await Promise.all([loading, dependencies.models.forWorkspace(chat.workspace_id)])
  if ([agent.engine.model, ...agent.fallbackModels].every((name) => models.resolve(name) === null)) {
    const configured = models.configured().join(', ')
    throw new AppError(
      'model_not_configured',
      `No configured provider serves the model "${agent.engine.model}". Configured: ${configured}.`,
    )
  }
  return { agent, resolveModel: models.resolve }
}
