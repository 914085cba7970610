import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { contentOf } from './agent-definition.ts'
import { type AgentOnEngine, findAgentsOnEngine, versionsOf } from './agent-store.ts'

/** What an engine's new version means to an agent on it. */
export interface FollowDecision {
  /** The agent gets its next version, which follows the engine's newest. */
  readonly createsNextVersion: boolean
  /** The edit reaches the next conversation that names no version. */
  readonly reachesConversations: boolean
}

/** An agent that somebody fixed (pinned, published or activated) stays; an unused draft resolves its engine when it is used. */
export function decideFollow(agent: AgentOnEngine, engineId: string): FollowDecision {
  if (agent.engine?.id !== engineId || agent.engine.pinned)
    return { createsNextVersion: false, reachesConversations: false }
  const createsNextVersion = agent.frozen && !agent.published && agent.activePointer === null
  const usesNewest = agent.activeVersion === agent.newestVersion
  return { createsNextVersion, reachesConversations: usesNewest && (createsNextVersion || !agent.frozen) }
}

/** Agents and chat agents as their engines see them. */
export interface AgentsOnEngines {
  /** Gives every agent that follows its next version; answers the names of those that an edit does not reach. */
  follow(
    transaction: Transaction,
    change: { readonly workspaceId: number; readonly engineId: string; readonly now: number },
  ): Promise<readonly string[]>
  /** The agents whose newest or active version runs on the engine. */
  usersOf(
    reader: Reader,
    workspaceId: number,
    engineId: string,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>
}

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
