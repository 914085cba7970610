import type { AgentLoader } from '@parley/engine/dialogue/conversation'
import { AppError } from '../../kernel/errors.ts'
import type { PinnedAgent } from './pinned-agent.ts'

/** How conversations find the agents that they are handed over to: `load` may throw, a hand-over that fails is told instead. */
export function createAgentLoader(
  load: (agentId: string, version: number | 'active') => Promise<PinnedAgent>,
): AgentLoader {
  return {
    async load(agentId, agentVersion) {
      try {
        return { ok: true, agent: await load(agentId, agentVersion ?? 'active') }
      } catch (error) {
        // What came from inside, such as the database, is not the model's business.
        const message = error instanceof AppError && error.status < 500 ? error.message : 'it cannot be loaded now.'
        return { ok: false, message }
      }
    },
  }
}
