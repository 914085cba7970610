import type { AgentLoader } from '@parley/engine/dialogue/conversation'
import type { Clock } from '@parley/engine/ports'
import type { Database } from '../../kernel/database.ts'
import { AppError } from '../../kernel/errors.ts'
import type { AgentUse } from '../../kernel/pinned-agent.ts'

export interface AgentLoaderDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly agents: AgentUse
}

/** How conversations of a workspace find the agents that they are handed over to. */
export function createAgentLoader(
  { database, clock, agents }: AgentLoaderDependencies,
  workspaceId: number,
): AgentLoader {
  return {
    async load(agentId, agentVersion) {
      try {
        const version = agentVersion ?? 'active'
        const pin = await database.transaction((transaction) =>
          agents.pin(transaction, { workspaceId, agentId, version, now: clock.now() }),
        )
        return { ok: true, agent: await agents.load({ ...pin, workspaceId }) }
      } catch (error) {
        // What came from inside, such as the database, is not the model's business.
        const message = error instanceof AppError && error.status < 500 ? error.message : 'it cannot be loaded now.'
        return { ok: false, message }
      }
    },
  }
}
