import type { AgentOnPath, CallRow } from '../../../tables/call-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import { type ConversationAgent, nullIfDeleted, rolesOf } from '../policy/conversation-agents.ts'

/** What names the agents of a call. */
export type CallPath = Pick<
  CallRow,
  'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path'
>

/** The agents that held a call, in the order in which they came to it first. */
export async function loadCallAgents(
  agents: Pick<AgentUse, 'load' | 'preview'>,
  call: CallPath,
): Promise<readonly ConversationAgent[]> {
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = call
  const { engine_id: engineId, engine_version: engineVersion } = call
  const conversationAgents = uniqueAgentsOf(JSON.parse(call.agent_path) as AgentOnPath[])
  const first = agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  // A version that was handed over to is frozen with the version of its engine.
  const others = conversationAgents
    .slice(1)
    .map((one) => agents.preview({ workspaceId, agentId: one.agentId, version: one.agentVersion }))
  const loaded = await Promise.all([first, ...others].map(nullIfDeleted))
  return loaded.map((agent, index) => {
    const { isAnalyzed, isNotified } = conversationAgents[index] ?? rolesOf(undefined, undefined)
    return { agent, isAnalyzed, isNotified }
  })
}

type AgentOnPathRoles = Pick<AgentOnPath, 'agentId' | 'agentVersion'> &
  Pick<ConversationAgent, 'isAnalyzed' | 'isNotified'>

/** Each agent once; whoever held the call several times is analysed and told when one of these times says so. */
function uniqueAgentsOf(path: readonly AgentOnPath[]): readonly AgentOnPathRoles[] {
  const conversationAgents = new Map<string, AgentOnPathRoles>()
  for (const [index, { agentId, agentVersion, handOver }] of path.entries()) {
    const roles = rolesOf(handOver, path[index + 1]?.handOver)
    const key = `${agentId} ${agentVersion}`
    const known = conversationAgents.get(key)
    const isAnalyzed = roles.isAnalyzed || known?.isAnalyzed === true
    conversationAgents.set(key, {
      agentId,
      agentVersion,
      isAnalyzed,
      isNotified: roles.isNotified || known?.isNotified === true,
    })
  }
  return [...conversationAgents.values()]
}
