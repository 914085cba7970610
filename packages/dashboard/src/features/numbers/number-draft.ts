import type { Operations } from '@parley/contract/index'
import type { WeightedAgent } from '@parley/contract/number-agent'
import type { RequestOf } from '@parley/contract/operation'
import type { NumberProvider, PhoneNumber } from '@parley/contract/phone-number'
import type { TimeRouting } from '@parley/contract/time-routing'
import { isValidDistribution } from './weights.ts'

export const PROVIDERS = ['loopback', 'twilio', 'telnyx', 'jambonz', 'sip'] as const satisfies readonly NumberProvider[]

/** Product names, which are not translated. */
export const PROVIDER_NAMES = {
  loopback: 'Loopback',
  twilio: 'Twilio',
  telnyx: 'Telnyx',
  jambonz: 'jambonz',
  sip: 'SIP',
} as const satisfies Readonly<Record<NumberProvider, string>>

export const MAX_INBOUND_AGENTS = 20

/** An agent and its version; null selects the live version. */
export interface AgentChoice {
  readonly agent_id: string
  readonly agent_version: number | null
}

/** The editable fields of a phone number. */
export interface NumberDraft {
  readonly nickname: string | null
  readonly inbound_agents: readonly WeightedAgent[]
  readonly outbound_agent: AgentChoice | null
  readonly default_agent_id: string | null
  readonly sticky: boolean
  readonly fallback_number: string | null
  readonly inbound_webhook_url: string | null
  readonly is_time_routing_enabled: boolean
  readonly time_routing: TimeRouting | null
}

export function toNumberDraft(number: PhoneNumber): NumberDraft {
  const [agent] = number.outbound_agents
  return {
    nickname: number.nickname,
    inbound_agents: number.inbound_agents,
    outbound_agent: agent === undefined ? null : { agent_id: agent.agent_id, agent_version: agent.agent_version },
    default_agent_id: number.default_agent_id,
    sticky: number.sticky,
    fallback_number: number.fallback_number,
    inbound_webhook_url: number.inbound_webhook_url,
    is_time_routing_enabled: number.is_time_routing_enabled,
    time_routing: number.time_routing,
  }
}

export type AssignmentBody = RequestOf<Operations['assignNumberAgents']>['body']
export type SettingsBody = RequestOf<Operations['updateNumber']>['body']

/** The request bodies of the two operations that save a number. A body is null if it has no edits. */
export interface NumberRequests {
  readonly assignment: { readonly edits: Partial<NumberDraft>; readonly body: AssignmentBody } | null
  readonly settings: { readonly edits: Partial<NumberDraft>; readonly body: SettingsBody } | null
}

export function toNumberRequests(edits: Partial<NumberDraft>): NumberRequests {
  const { inbound_agents: inboundAgents, outbound_agent: outboundAgent, time_routing: timeRouting, ...rest } = edits
  const assignmentEdits = {
    ...(inboundAgents !== undefined && { inbound_agents: inboundAgents }),
    ...(outboundAgent !== undefined && { outbound_agent: outboundAgent }),
  }
  const settings = { ...rest, ...(timeRouting !== undefined && { time_routing: timeRouting }) }
  const assignmentBody: AssignmentBody = {
    ...(inboundAgents !== undefined && { inboundAgents: [...inboundAgents] }),
    ...(outboundAgent !== undefined && {
      outboundAgentId: outboundAgent?.agent_id ?? null,
      outboundAgentVersion: outboundAgent?.agent_version ?? null,
    }),
  }
  return {
    assignment: Object.keys(assignmentEdits).length === 0 ? null : { edits: assignmentEdits, body: assignmentBody },
    settings: Object.keys(settings).length === 0 ? null : { edits: settings, body: settings },
  }
}

/** Why a number cannot be saved. */
export type SaveBlocker = 'agent-missing' | 'weights-incomplete'

export function findSaveBlocker({
  inbound_agents: inboundAgents,
  outbound_agent: outboundAgent,
  time_routing: routing,
}: NumberDraft): SaveBlocker | null {
  const agents = [...inboundAgents, ...(outboundAgent === null ? [] : [outboundAgent]), ...(routing?.windows ?? [])]
  if (agents.some(({ agent_id: id }) => id === '')) return 'agent-missing'
  return isValidDistribution(inboundAgents.map(({ weight }) => weight)) ? null : 'weights-incomplete'
}
