import type { Operations } from '@parley/contract/index'
import type { WeightedAgent } from '@parley/contract/number-agent'
import type { RequestOf } from '@parley/contract/operation'
import type { NumberProvider, PhoneNumber } from '@parley/contract/phone-number'
import type { TimeRouting } from '@parley/contract/time-routing'
import { isComplete } from './weights.ts'

export const PROVIDERS = ['loopback', 'twilio', 'telnyx', 'jambonz', 'sip'] as const satisfies readonly NumberProvider[]

/** Names that are the same in every language. */
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

/** The editable part of a number. */
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
  const outbound = number.outbound_agents[0]
  return {
    nickname: number.nickname,
    inbound_agents: number.inbound_agents,
    outbound_agent:
      outbound === undefined ? null : { agent_id: outbound.agent_id, agent_version: outbound.agent_version },
    default_agent_id: number.default_agent_id,
    sticky: number.sticky,
    fallback_number: number.fallback_number,
    inbound_webhook_url: number.inbound_webhook_url,
    is_time_routing_enabled: number.is_time_routing_enabled,
    time_routing: number.time_routing,
  }
}

export type BindingBody = RequestOf<Operations['assignNumberAgents']>['body']
export type SettingsBody = RequestOf<Operations['updateNumber']>['body']

/** Edits as request bodies of the two operations that save a number. A body is null if it has no edits. */
export interface NumberWrites {
  readonly binding: { readonly edits: Partial<NumberDraft>; readonly body: BindingBody } | null
  readonly settings: { readonly edits: Partial<NumberDraft>; readonly body: SettingsBody } | null
}

export function toNumberWrites(edits: Partial<NumberDraft>): NumberWrites {
  const { inbound_agents: inbound, outbound_agent: outbound, time_routing: timeRouting, ...rest } = edits
  const bound = {
    ...(inbound !== undefined && { inbound_agents: inbound }),
    ...(outbound !== undefined && { outbound_agent: outbound }),
  }
  const settings = { ...rest, ...(timeRouting !== undefined && { time_routing: timeRouting }) }
  const bindingBody: BindingBody = {
    ...(inbound !== undefined && { inboundAgents: [...inbound] }),
    ...(outbound !== undefined && {
      outboundAgentId: outbound?.agent_id ?? null,
      outboundAgentVersion: outbound?.agent_version ?? null,
    }),
  }
  return {
    binding: Object.keys(bound).length === 0 ? null : { edits: bound, body: bindingBody },
    settings: Object.keys(settings).length === 0 ? null : { edits: settings, body: settings },
  }
}

/** Why a number cannot be saved. */
export type SaveBlocker = 'agent-missing' | 'weights-incomplete'

export function findSaveBlocker({
  inbound_agents: inbound,
  outbound_agent: outbound,
  time_routing: routing,
}: NumberDraft): SaveBlocker | null {
  const selected = [...inbound, ...(outbound === null ? [] : [outbound]), ...(routing?.windows ?? [])]
  if (selected.some(({ agent_id: id }) => id === '')) return 'agent-missing'
  return isComplete(inbound.map(({ weight }) => weight)) ? null : 'weights-incomplete'
}
