import type { AgentFollowers, EngineUsers } from '../engines/public.ts'
import { contentOf } from './agent-definition.ts'
import { type AgentOnEngine, findAgentsOnEngine, versionsOf } from './agent-store.ts'

/** What a new engine version means for an agent. */
interface FollowDecision {
  /** The agent gets its next version, on the newest engine version. */
  readonly createsNextVersion: boolean
  /** The edit reaches new conversations that name no version. */
  readonly reachesConversations: boolean
}

/** Pinned, published or activated agents keep their version; an unused draft resolves its engine when used. */
export function decideFollow(agent: AgentOnEngine, engineId: string): FollowDecision {
  if (agent.engine?.id !== engineId || agent.engine.pinned)
    return { createsNextVersion: false, reachesConversations: false }
  const createsNextVersion = agent.frozen && !agent.published && agent.activePointer === null
  const usesNewest = agent.activeVersion === agent.newestVersion
  return { createsNextVersion, reachesConversations: usesNewest && (createsNextVersion || !agent.frozen) }
}

/** Agents and chat agents as seen by their engines. */
export type AgentsOnEngines = AgentFollowers & EngineUsers

export function createAgentFollowers(): AgentsOnEngines {
  return {
    async follow(transaction, { workspaceId, engineId, now }) {
      const unreachedAgents: string[] = []
      for (const agent of await findAgentsOnEngine(transaction, workspaceId, engineId)) {
        const { createsNextVersion, reachesConversations } = decideFollow(agent, engineId)
        const target = { id: agent.id, version: agent.newestVersion + 1, now }
        if (createsNextVersion) await versionsOf(agent.id).insertNext(transaction, target, contentOf(agent))
        if (!reachesConversations) unreachedAgents.push(nameOf(agent))
      }
      return unreachedAgents
    },
    async usersOf(reader, workspaceId, engineId) {
      const agents = await findAgentsOnEngine(reader, workspaceId, engineId)
      return agents.map(({ id, definition }) => ({ id, name: definition.agent_name }))
    },
  }
}

function nameOf({ id, definition }: AgentOnEngine): string {
  return definition.agent_name === '' ? id : `"${definition.agent_name}" (${id})`
}
