import type { AgentRemoval } from '../../kernel/agent-removal.ts'
import { findNumbersOfAgent, saveNumber } from './number-store.ts'
import { withoutAgent } from './without-agent.ts'

/** Numbers let go of an agent that is deleted; what is left shares their calls. */
export function createNumberAgentRemoval(): AgentRemoval {
  return {
    async agentRemoved(transaction, { workspaceId, agentId, now }) {
      for (const number of await findNumbersOfAgent(transaction, workspaceId, agentId)) {
        await saveNumber(transaction, number, withoutAgent(number, agentId), now)
      }
    },
  }
}
