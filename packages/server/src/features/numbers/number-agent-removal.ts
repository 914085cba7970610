import type { WeightedAgent } from '@parley/contract/number-agent'
import type { AgentRemoval } from '../agents/public.ts'
import { findNumbersOfAgent, saveNumber } from './number-store.ts'
import type { NumberSettings } from './stored-number.ts'

/** Weights are told with six decimals; none becomes 0. */
const WEIGHT_UNITS = 1e6

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

/** A number that lost an agent: the agents that remain share its calls in their old proportion, its windows go. */
export function withoutAgent<Settings extends NumberSettings>(settings: Settings, agentId: string): Settings {
  const { inbound, outbound, timeRouting } = settings
  const remaining = inbound.filter(({ agent_id }) => agent_id !== agentId)
  return {
    ...settings,
    inbound: remaining.length === inbound.length ? inbound : rescale(remaining),
    outbound: outbound?.agent_id === agentId ? null : outbound,
    defaultAgentId: settings.defaultAgentId === agentId ? null : settings.defaultAgentId,
    timeRouting: timeRouting && {
      ...timeRouting,
      windows: timeRouting.windows.filter(({ agent_id }) => agent_id !== agentId),
      fallback_agent_id: timeRouting.fallback_agent_id === agentId ? null : timeRouting.fallback_agent_id,
    },
  }
}

function rescale(agents: readonly WeightedAgent[]): readonly WeightedAgent[] {
  const sum = agents.reduce((total, { weight }) => total + weight, 0)
  return agents.map((agent) => {
    const units = Math.round((agent.weight / sum) * WEIGHT_UNITS)
    return { ...agent, weight: Math.max(1, units) / WEIGHT_UNITS }
  })
}
