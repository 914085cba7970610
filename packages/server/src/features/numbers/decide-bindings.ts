import type { AssignNumberAgentsBody, UpdateNumberBody } from '@parley/contract/phone-number'
import { invalidField } from '../../kernel/errors.ts'
import type { AgentReference, NumberSettings } from './stored-number.ts'

/** An assignment with the workspace that it names. */
export interface AssignmentRequest extends AssignNumberAgentsBody {
  readonly workspaceId: number
}

/**
 * What a number is after an assignment: absent parts stay. In another workspace it begins without the agents of the former
 * one. Throws `invalid_request` for a version without an agent.
 */
export function decideBindings<Settings extends NumberSettings>(
  current: Settings,
  request: AssignmentRequest,
): Settings {
  const moved = request.workspaceId === current.workspaceId ? current : moveTo(current, request.workspaceId)
  return {
    ...moved,
    inbound: request.inboundAgents ?? moved.inbound,
    outbound: decideOutbound(moved.outbound, request),
    inboundWebhookUrl: request.inboundWebhookUrl === undefined ? moved.inboundWebhookUrl : request.inboundWebhookUrl,
    isTimeRoutingEnabled: request.isTimeRoutingEnabled ?? moved.isTimeRoutingEnabled,
  }
}

/** Another agent without a version clears the version; a version alone changes that of the bound agent. */
function decideOutbound(current: AgentReference | null, request: AssignmentRequest): AgentReference | null {
  const { outboundAgentId, outboundAgentVersion } = request
  const agentId = outboundAgentId === undefined ? current?.agent_id : outboundAgentId
  if (agentId === undefined || agentId === null) {
    if (typeof outboundAgentVersion !== 'number') return null
    throw invalidField('outboundAgentVersion', 'needs an outbound agent: send "outboundAgentId" with it')
  }
  const isSameAgent = agentId === current?.agent_id
  if (isSameAgent && outboundAgentVersion === undefined) return current
  return { agent_id: agentId, agent_version: outboundAgentVersion ?? null }
}

function moveTo<Settings extends NumberSettings>(settings: Settings, workspaceId: number): Settings {
  return { ...settings, workspaceId, inbound: [], outbound: null, defaultAgentId: null, timeRouting: null }
}

/** Applies a PATCH body: absent fields stay. */
export function editNumber<Settings extends NumberSettings>(current: Settings, body: UpdateNumberBody): Settings {
  const orCurrent = <Value>(given: Value | undefined, moved: Value): Value => (given === undefined ? moved : given)
  return {
    ...current,
    nickname: orCurrent(body.nickname, current.nickname),
    defaultAgentId: orCurrent(body.default_agent_id, current.defaultAgentId),
    sticky: orCurrent(body.sticky, current.sticky),
    inboundWebhookUrl: orCurrent(body.inbound_webhook_url, current.inboundWebhookUrl),
    isTimeRoutingEnabled: orCurrent(body.is_time_routing_enabled, current.isTimeRoutingEnabled),
    timeRouting: orCurrent(body.time_routing, current.timeRouting),
    fallbackNumber: orCurrent(body.fallback_number, current.fallbackNumber),
  }
}
