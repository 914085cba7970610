import type { AgentFollowers, EngineUsers } from '../engines/public.ts'
import { getAgentContent } from './agent-definition.ts'
import { type AgentOnEngine, findAgentsOnEngine, getAgentVersionStore } from './agent-store.ts'

/** The effect of a new engine version on an agent. */
interface FollowDecision {
  /** Whether the agent gets a next version on the newest engine version. */
  readonly createsNextVersion: boolean
  /** Whether the edit takes effect in new conversations that name no version. */
  readonly reachesConversations: boolean
}

/**
 * Decides whether an agent follows a new engine version. Pinned, published or activated agents keep their version, and an
 * unused draft resolves its engine when used.
 */
export function decideFollow(agent: AgentOnEngine, engineId: string): FollowDecision {
  if (agent.engine?.id !== engineId || agent.engine.pinned)
    return { createsNextVersion: false, reachesConversations: false }
  const createsNextVersion = agent.frozen && !agent.published && agent.activePointer === null
  const usesNewest = agent.activeVersion === agent.newestVersion
  return { createsNextVersion, reachesConversations: usesNewest && (createsNextVersion || !agent.frozen) }
}

/** Finds agents and chat agents by engine and lets them follow engine edits. */
export type AgentsOnEngines = AgentFollowers & EngineUsers

export function createAgentFollowers(): AgentsOnEngines {
  return {
    async follow(transaction, { workspaceId, engineId, now }) {
      const unreachedAgents: string[] = []
      for (const agent of await findAgentsOnEngine(transaction, workspaceId, engineId)) {
        const { createsNextVersion, reachesConversations } = decideFollow(agent, engineId)
        const target = { id: agent.id, version: agent.newestVersion + 1, now }
        if (createsNextVersion)
          await getAgentVersionStore(agent.id).insertNext(transaction, target, getAgentContent(agent))
        if (!reachesConversations) unreachedAgents.push(formatAgentName(agent))
      }
      return unreachedAgents
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
