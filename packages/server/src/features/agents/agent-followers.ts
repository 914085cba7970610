import type { AgentFollowers, EngineUsers } from '../engines/public.ts'
import { getAgentContent } from './agent-definition.ts'
import { type AgentOnEngine, findAgentsOnEngine, getAgentVersionStore } from './agent-store.ts'

/** The effect of a new engine version on an agent. */
interface FollowDecision {
  /** Whether to create a next version of the agent that uses the newest engine version. */
  readonly createsNextVersion: boolean
  /** Whether new conversations that do not select a version use the newest engine version. */
  readonly reachesConversations: boolean
}

/**
 * Decides whether an agent follows a new engine version. Agents with a pinned, published or activated version do not follow.
 * Unused drafts always use the newest engine version.
 */
export function decideFollow(agent: AgentOnEngine, engineId: string): FollowDecision {
  if (agent.engine?.id !== engineId || agent.engine.pinned)
    return { createsNextVersion: false, reachesConversations: false }
  const createsNextVersion = agent.frozen && !agent.published && agent.activatedVersion === null
  const usesNewest = agent.activeVersion === agent.newestVersion
  return { createsNextVersion, reachesConversations: usesNewest && (createsNextVersion || !agent.frozen) }
}

/** Finds the agents that use an engine and creates their next versions after engine edits. */
export type AgentsOnEngines = AgentFollowers & EngineUsers

export function createAgentFollowers(): AgentsOnEngines {
  return {
    async follow(transaction, { workspaceId, engineId, now }) {
      const unaffectedAgents: string[] = []
      for (const agent of await findAgentsOnEngine(transaction, workspaceId, engineId)) {
        const { createsNextVersion, reachesConversations } = decideFollow(agent, engineId)
        const target = { id: agent.id, version: agent.newestVersion + 1, now }
        if (createsNextVersion)
          await getAgentVersionStore(agent.id).insertNext(transaction, target, getAgentContent(agent))
        if (!reachesConversations) unaffectedAgents.push(formatAgentName(agent))
      }
      return unaffectedAgents
    },
    async findUsers(reader, workspaceId, engineId) {
      const agents = await findAgentsOnEngine(reader, workspaceId, engineId)
      return agents.map(({ id, definition }) => ({ id, name: definition.agent_name }))
    },
  }
}

function formatAgentName({ id, definition }: AgentOnEngine): string {
  return definition.agent_name === '' ? id : `"${definition.agent_name}" (${id})`
}
