import type { WeightedAgent } from '@parley/contract/number-agent'
import type { AssignNumberAgentsBody, UpdateNumberBody } from '@parley/contract/phone-number'
import { createMissingVersionError } from '../../kernel/api/edits.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { AgentBinding, AgentRemoval } from '../agents/public.ts'
import { findNumbersOfAgent, saveNumber } from './number-store.ts'
import type { NumberSettings } from './stored-number.ts'

/** Weights are rounded to six decimals, but never to 0. */
const WEIGHT_UNITS = 1e6

/** Creates the hook that removes deleted agents from numbers. The remaining agents share the calls. */
export function createNumberAgentRemoval(): AgentRemoval {
  return {
    async removeAgentReferences(transaction, { workspaceId, agentId, now }) {
      for (const number of await findNumbersOfAgent(transaction, workspaceId, agentId)) {
        await saveNumber(transaction, number, removeAgentFromNumber(number, agentId), now)
      }
    },
  }
}

/**
 * Removes an agent from a number. The remaining agents keep their relative weights, and time windows with the agent are
 * removed.
 */
export function removeAgentFromNumber<Settings extends NumberSettings>(settings: Settings, agentId: string): Settings {
  const { inbound, outbound, timeRouting } = settings
  const remainingAgents = inbound.filter(({ agent_id }) => agent_id !== agentId)
  return {
    ...settings,
    inbound: remainingAgents.length === inbound.length ? inbound : rescaleWeights(remainingAgents),
    outbound: outbound?.agent_id === agentId ? null : outbound,
    defaultAgentId: settings.defaultAgentId === agentId ? null : settings.defaultAgentId,
    timeRouting: timeRouting && {
      ...timeRouting,
      windows: timeRouting.windows.filter(({ agent_id }) => agent_id !== agentId),
      fallback_agent_id: timeRouting.fallback_agent_id === agentId ? null : timeRouting.fallback_agent_id,
    },
  }
}

function rescaleWeights(agents: readonly WeightedAgent[]): readonly WeightedAgent[] {
  const totalWeight = agents.reduce((total, { weight }) => total + weight, 0)
  return agents.map((agent) => {
    const units = Math.round((agent.weight / totalWeight) * WEIGHT_UNITS)
    return { ...agent, weight: Math.max(1, units) / WEIGHT_UNITS }
  })
}

/** An agent in a request body and the path of its field. */
interface AgentReference {
  readonly path: string
  readonly agentId: string
  readonly version: number | null
}

/** Returns the agents in the body of an assignment. `updatedSettings` contains the resulting outbound agent. */
export function listAssignedAgents(
  body: AssignNumberAgentsBody,
  updatedSettings: NumberSettings,
): readonly AgentReference[] {
  const inbound = (body.inboundAgents ?? []).map(({ agent_id, agent_version }, index) => ({
    path: `inboundAgents[${index}].agent_id`,
    agentId: agent_id,
    version: agent_version,
  }))
  const { outbound } = updatedSettings
  const isOutboundChanged = body.outboundAgentId !== undefined || body.outboundAgentVersion !== undefined
  if (outbound === null || !isOutboundChanged) return inbound
  const path = body.outboundAgentId === undefined ? 'outboundAgentVersion' : 'outboundAgentId'
  return [...inbound, { path, agentId: outbound.agent_id, version: outbound.agent_version }]
}

/** Returns the agents that an update request references. */
export function listReferencedAgents(body: UpdateNumberBody): readonly AgentReference[] {
  const { default_agent_id, time_routing } = body
  const toAgentList = (path: string, agentId: string | null | undefined): AgentReference[] =>
    typeof agentId === 'string' ? [{ path, agentId, version: null }] : []
  return [
    ...toAgentList('default_agent_id', default_agent_id),
    ...(time_routing?.windows ?? []).map(({ agent_id, agent_version }, index) => ({
      path: `time_routing.windows[${index}].agent_id`,
      agentId: agent_id,
      version: agent_version,
    })),
    ...toAgentList('time_routing.fallback_agent_id', time_routing?.fallback_agent_id),
  ]
}

/** Freezes the requested versions. Throws `not_found` with a list of all unknown agents and versions. */
export async function bindAgents(
  transaction: Transaction,
  binding: AgentBinding,
  {
    workspaceId,
    requestedAgents,
    now,
  }: { workspaceId: number; requestedAgents: readonly AgentReference[]; now: number },
): Promise<void> {
  if (requestedAgents.length === 0) return
  const existingAgents = await binding.findAgents(transaction, workspaceId, requestedAgents)
  const missingAgents = requestedAgents.flatMap(({ path, agentId, version }) => {
    const agent = existingAgents.get(agentId)
    if (agent === undefined) return [{ path, message: notFound('agent', agentId).message }]
    if (version === null || agent.versions.has(version)) return []
    return [{ path, message: createMissingVersionError({ kind: 'agent', id: agentId }, version).message }]
  })
  const [firstMissing] = missingAgents
  if (firstMissing !== undefined) throw new AppError('not_found', firstMissing.message, { details: missingAgents })
  const uniqueAgents = new Map(requestedAgents.map((agent) => [JSON.stringify([agent.agentId, agent.version]), agent]))
  for (const { agentId, version } of uniqueAgents.values()) {
    if (version !== null) await binding.freezeVersion(transaction, { workspaceId, agentId, version, now })
  }
}
