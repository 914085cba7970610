import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import { type ConversationAgent, nullIfDeleted, rolesOf } from '../policy/conversation-agents.ts'

type AgentPath = Pick<
  ChatRow,
  'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'hand_overs'
>

interface HandOver {
  readonly agentId: string
  readonly agentVersion: number
  readonly engineId: string | null
  readonly engineVersion: number | null
  readonly settings: SwapSettings
}

/** The agents that held a chat, in order: the last one holds it now. */
export async function loadChatAgents(
  agents: Pick<AgentUse, 'load'>,
  chat: AgentPath,
): Promise<readonly ConversationAgent[]> {
  const handOvers = JSON.parse(chat.hand_overs) as HandOver[]
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = chat
  const { engine_id: engineId, engine_version: engineVersion } = chat
  const first = agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  const others = handOvers.map((one) => {
    const { agentId, agentVersion, engineId, engineVersion } = one
    return agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  })
  const loaded = await Promise.all([first, ...others].map(nullIfDeleted))
  const settings = handOvers.map((one) => one.settings)
  return loaded.map((agent, index) => ({ agent, ...rolesOf(settings[index - 1], settings[index]) }))
}
