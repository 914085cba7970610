import type { DialogueState } from '@parley/engine/dialogue/conversation'
import type { ResolveModel } from '@parley/engine/ports'
import { checkModels, type UsableModels } from '../../../kernel/check-models.ts'
import type { AgentUse, LoadedPin, PinnedAgent } from '../../../kernel/pinned-agent.ts'
import type { ChatRow } from '../../../kernel/tables/chat-tables.ts'
import { chatEnded } from './turn-problems.ts'

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
  const loading = dependencies.agents.load(pinOf(chat))
  const [agent, models] = await Promise.all([loading, dependencies.models.forWorkspace(chat.workspace_id)])
  checkModels(agent, models)
  return { agent, resolveModel: models.resolve }
}

/** The agent that the chat began with. */
export function firstPinOf(chat: ChatRow): LoadedPin {
  return {
    workspaceId: chat.workspace_id,
    agentId: chat.agent_id,
    agentVersion: chat.agent_version,
    engineId: chat.engine_id,
    engineVersion: chat.engine_version,
  }
}

/** The agent that holds the chat now: the one it began with, or the last that it was handed over to. */
function pinOf(chat: ChatRow): LoadedPin {
  const state = chat.state === null ? null : (JSON.parse(chat.state) as DialogueState)
  if (state?.agent === undefined) return firstPinOf(chat)
  const { agent, engine } = state
  return { workspaceId: chat.workspace_id, ...agent, engineId: engine.id, engineVersion: engine.version }
}
