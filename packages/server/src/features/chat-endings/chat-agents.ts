import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import { AppError } from '../../kernel/errors.ts'
import type { AgentUse, PinnedAgent } from '../../kernel/pinned-agent.ts'
import type { ChatRow } from '../../kernel/tables/chat-tables.ts'
import type { AgentWebhook } from '../../kernel/webhook-events.ts'

/** An agent that held a chat. */
export interface ChatAgent {
  /** `null` when it was deleted since. */
  readonly agent: PinnedAgent | null
  /** Whether its analysis is made. */
  readonly isAnalysed: boolean
  /** Whether its webhook is told. */
  readonly isTold: boolean
}

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
export async function loadChatAgents(agents: Pick<AgentUse, 'load'>, chat: AgentPath): Promise<readonly ChatAgent[]> {
  const handOvers = JSON.parse(chat.hand_overs) as HandOver[]
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = chat
  const { engine_id: engineId, engine_version: engineVersion } = chat
  const first = agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  const others = handOvers.map((one) => {
    const { agentId, agentVersion, engineId, engineVersion } = one
    return agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  })
  const loaded = await Promise.all([first, ...others].map(orNull))
  const settings = handOvers.map((one) => one.settings)
  return loaded.map((agent, index) => ({ agent, ...rolesOf(settings[index - 1], settings[index]) }))
}

/** What the hand-over to an agent and the one away from it say about it. */
export function rolesOf(
  to: SwapSettings | undefined,
  away: SwapSettings | undefined,
): Pick<ChatAgent, 'isAnalysed' | 'isTold'> {
  return {
    isAnalysed: away?.analysis !== 'only_destination_agent',
    isTold: away?.webhooks !== 'only_destination_agent' && to?.webhooks !== 'only_source_agent',
  }
}

const NO_ADDRESS: AgentWebhook = { url: null, events: [], timeoutMs: 10_000 }

/** Whose webhooks are told of a chat. A deleted agent has no address of its own any more. */
export function webhooksOf(agents: readonly ChatAgent[]): readonly AgentWebhook[] {
  return agents.filter(({ isTold }) => isTold).map(({ agent }) => agent?.webhook ?? NO_ADDRESS)
}

async function orNull(loading: Promise<PinnedAgent>): Promise<PinnedAgent | null> {
  try {
    return await loading
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
