import type { AssignNumberAgentsBody, UpdateNumberBody } from '@parley/contract/phone-number'
import { missingVersion } from '../../kernel/api/edits.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import type { AgentBinding } from '../agents/public.ts'
import type { NumberSettings } from './stored-number.ts'

/** An agent that a request names, and the field that names it. */
export interface NamedAgent {
  readonly path: string
  readonly agentId: string
  readonly version: number | null
}

/** The agents that an assignment binds; `decided` is what the number is after it. */
export function agentsOfAssignment(body: AssignNumberAgentsBody, decided: NumberSettings): readonly NamedAgent[] {
  const inbound = (body.inboundAgents ?? []).map(({ agent_id, agent_version }, index) => ({
    path: `inboundAgents[${index}].agent_id`,
    agentId: agent_id,
    version: agent_version,
  }))
  const { outbound } = decided
  const isNamed = body.outboundAgentId !== undefined || body.outboundAgentVersion !== undefined
  if (outbound === null || !isNamed) return inbound
  const path = body.outboundAgentId === undefined ? 'outboundAgentVersion' : 'outboundAgentId'
  return [...inbound, { path, agentId: outbound.agent_id, version: outbound.agent_version }]
}

/** The agents that a PATCH of a number names. */
export function agentsOfUpdate(body: UpdateNumberBody): readonly NamedAgent[] {
  const { default_agent_id, time_routing } = body
  const only = (path: string, agentId: string | null | undefined): NamedAgent[] =>
    typeof agentId === 'string' ? [{ path, agentId, version: null }] : []
  return [
    ...only('default_agent_id', default_agent_id),
    ...(time_routing?.windows ?? []).map(({ agent_id, agent_version }, index) => ({
      path: `time_routing.windows[${index}].agent_id`,
      agentId: agent_id,
      version: agent_version,
    })),
    ...only('time_routing.fallback_agent_id', time_routing?.fallback_agent_id),
  ]
}

/**
 * Refuses a request that names an agent or a version that the workspace does not have, telling all of them, and freezes the
 * versions that it names.
 */
export async function bindAgents(
  transaction: Transaction,
  binding: AgentBinding,
  { workspaceId, named, now }: { workspaceId: number; named: readonly NamedAgent[]; now: number },
): Promise<void> {
  if (named.length === 0) return
  const found = await binding.findAgents(transaction, workspaceId, named)
  const missing = named.flatMap(({ path, agentId, version }) => {
    const agent = found.get(agentId)
    if (agent === undefined) return [{ path, message: notFound('agent', agentId).message }]
    if (version === null || agent.versions.has(version)) return []
    return [{ path, message: missingVersion({ what: 'agent', id: agentId }, version).message }]
  })
  const [first] = missing
  if (first !== undefined) throw new AppError('not_found', first.message, { details: missing })
  const versions = new Map(named.map((agent) => [JSON.stringify([agent.agentId, agent.version]), agent]))
  for (const { agentId, version } of versions.values()) {
    if (version !== null) await binding.freezeVersion(transaction, { workspaceId, agentId, version, now })
  }
}
