import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import type { ChatRow } from '../../../tables/chat-tables.ts'
import type { AgentResolver } from '../../agents/public.ts'
import { type AnalysisOutcome, type AnalyzeDependencies, analyzeEndedConversation } from '../analysis/analyze-ended.ts'
import type { PostProcessingPlan, StoredUsage } from '../policy/plan-post-processing.ts'
import { type ConversationAgent, decideAgentRoles, loadUnlessDeleted } from '../policy/plan-post-processing.ts'
import { type EndedChat, toChatHistory } from './ended-chat-store.ts'

/** Analyzes a chat according to its agents' settings. */
export async function analyzeChat(
  dependencies: AnalyzeDependencies,
  endedChat: EndedChat,
  plan: Pick<PostProcessingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<AnalysisOutcome> {
  const conversation = toAnalyzedConversation(endedChat, dependencies.clock.now())
  return await analyzeEndedConversation(dependencies, { workspaceId: endedChat.chat.workspace_id, conversation }, plan)
}

const END_REASONS: Readonly<Record<string, AnalyzedConversation['endedBy']>> = {
  request: 'user',
  agent: 'agent',
  silence: 'silence',
}

function toAnalyzedConversation({ chat, messages, turns }: EndedChat, now: number): AnalyzedConversation {
  const lastStatus = turns.at(-1)?.status
  return {
    history: toChatHistory(messages),
    collectedVariables: JSON.parse(chat.collected_variables) as Record<string, string>,
    endedBy: END_REASONS[chat.end_reason ?? ''] ?? 'other',
    lastTurnFailed: lastStatus === 'failed' || lastStatus === 'interrupted' || chat.status === 'error',
    today: new Date(chat.ended_at ?? now).toISOString().slice(0, 10),
  }
}

/** Appends usages to a chat's JSON list. */
export function addUsages(storedUsages: string, usages: readonly StoredUsage[]): string {
  return usages.length === 0
    ? storedUsages
    : JSON.stringify([...(JSON.parse(storedUsages) as StoredUsage[]), ...usages])
}

type ChatAgentColumns = Pick<
  ChatRow,
  'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'hand_overs'
>

interface Handoff {
  readonly agentId: string
  readonly agentVersion: number
  readonly engineId: string | null
  readonly engineVersion: number | null
  readonly settings: SwapSettings
}

/** Returns the agents that handled a chat, in order. The last agent is the current one. */
export async function loadChatAgents(
  agents: Pick<AgentResolver, 'load'>,
  chat: ChatAgentColumns,
): Promise<readonly ConversationAgent[]> {
  const handoffs = JSON.parse(chat.hand_overs) as Handoff[]
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = chat
  const { engine_id: engineId, engine_version: engineVersion } = chat
  const initialAgent = agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  const laterAgents = handoffs.map((handoff) => {
    const { agentId, agentVersion, engineId, engineVersion } = handoff
    return agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  })
  const loadedAgents = await Promise.all([initialAgent, ...laterAgents].map(loadUnlessDeleted))
  const settings = handoffs.map((handoff) => handoff.settings)
  return loadedAgents.map((agent, index) => ({ agent, ...decideAgentRoles(settings[index - 1], settings[index]) }))
}
