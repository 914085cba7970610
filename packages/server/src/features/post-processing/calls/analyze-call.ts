import type { CallEvent } from '@parley/contract/call-event'
import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { HistoryMessage } from '@parley/engine/dialogue/conversation'
import type { AgentPathEntry, CallRow } from '../../../tables/call-tables.ts'
import type { AgentResolver } from '../../agents/public.ts'
import { type AnalysisOutcome, type AnalyzeDependencies, analyzeEndedConversation } from '../analysis/analyze-ended.ts'
import type { PostProcessingPlan } from '../policy/plan-post-processing.ts'
import { type ConversationAgent, decideAgentRoles, loadUnlessDeleted } from '../policy/plan-post-processing.ts'
import { parseVariableColumns } from '../redaction/redact-conversation.ts'
import type { EndedCall } from './ended-call-store.ts'

/** Analyzes a call according to its agents' settings. */
export async function analyzeCall(
  dependencies: AnalyzeDependencies,
  endedCall: EndedCall,
  plan: Pick<PostProcessingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<AnalysisOutcome> {
  const conversation = toAnalyzedConversation(endedCall, dependencies.clock.now())
  return await analyzeEndedConversation(dependencies, { workspaceId: endedCall.call.workspace_id, conversation }, plan)
}

const END_REASONS: Readonly<Record<string, AnalyzedConversation['endedBy']>> = {
  user_hangup: 'user',
  agent_hangup: 'agent',
  inactivity: 'silence',
}

function toAnalyzedConversation({ call, events }: EndedCall, now: number): AnalyzedConversation {
  const [, collectedVariables] = parseVariableColumns(call)
  const lastMessage = events.findLast((event) => event.type === 'agent-message')
  return {
    history: toCallHistory(events),
    collectedVariables,
    endedBy: END_REASONS[call.disconnection_reason ?? ''] ?? 'other',
    lastTurnFailed: call.status === 'error' || lastMessage?.kind === 'fallback',
    today: new Date(call.ended_at ?? now).toISOString().slice(0, 10),
  }
}

/** Converts the events of a call to the engine's history. */
function toCallHistory(events: readonly CallEvent[]): HistoryMessage[] {
  return events.flatMap((event): HistoryMessage[] => {
    switch (event.type) {
      case 'user-message':
        return [{ role: 'user', content: event.content }]
      case 'agent-message':
        return event.content === '' ? [] : [{ role: 'assistant', content: event.content, toolCalls: [] }]
      case 'tool-call': {
        const call = { id: event.toolCallId, name: event.name, argumentsText: event.arguments }
        return [{ role: 'assistant', content: '', toolCalls: [call] }]
      }
      case 'tool-result':
        return [{ role: 'tool', toolCallId: event.toolCallId, name: event.name, content: event.content }]
      default:
        return []
    }
  })
}

/** Columns that record the agents of a call. */
export type CallAgentColumns = Pick<
  CallRow,
  'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path'
>

/** Returns the agents that handled a call, in the order in which they first handled it. */
export async function loadCallAgents(
  agents: Pick<AgentResolver, 'load' | 'preview'>,
  call: CallAgentColumns,
): Promise<readonly ConversationAgent[]> {
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = call
  const { engine_id: engineId, engine_version: engineVersion } = call
  const conversationAgents = mergeRepeatedAgents(JSON.parse(call.agent_path) as AgentPathEntry[])
  const initialAgent = agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  // The agent version of a handoff target already fixes the engine version.
  const laterAgents = conversationAgents
    .slice(1)
    .map((agentOnPath) =>
      agents.preview({ workspaceId, agentId: agentOnPath.agentId, version: agentOnPath.agentVersion }),
    )
  const loadedAgents = await Promise.all([initialAgent, ...laterAgents].map(loadUnlessDeleted))
  return loadedAgents.map((agent, index) => {
    const { isAnalyzed, isNotified } = conversationAgents[index] ?? decideAgentRoles(undefined, undefined)
    return { agent, isAnalyzed, isNotified }
  })
}

type AgentRoles = Pick<AgentPathEntry, 'agentId' | 'agentVersion'> &
  Pick<ConversationAgent, 'isAnalyzed' | 'isNotified'>

/** Lists each agent once. The roles of an agent that handled the call several times are combined. */
function mergeRepeatedAgents(agentPath: readonly AgentPathEntry[]): readonly AgentRoles[] {
  const rolesByAgent = new Map<string, AgentRoles>()
  for (const [index, { agentId, agentVersion, handOver }] of agentPath.entries()) {
    const roles = decideAgentRoles(handOver, agentPath[index + 1]?.handOver)
    const key = `${agentId} ${agentVersion}`
    const existingRoles = rolesByAgent.get(key)
    const isAnalyzed = roles.isAnalyzed || existingRoles?.isAnalyzed === true
    rolesByAgent.set(key, {
      agentId,
      agentVersion,
      isAnalyzed,
      isNotified: roles.isNotified || existingRoles?.isNotified === true,
    })
  }
  return [...rolesByAgent.values()]
}
