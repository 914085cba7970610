import type { WeightedAgent } from '@parley/contract/number-agent'
import type {
  AssignNumberAgentsBody,
  NumberAssignment,
  PhoneNumber,
  UpdateNumberBody,
} from '@parley/contract/phone-number'
import { invalidField } from '../../kernel/errors.ts'
import type { AgentReference, NumberSettings, StoredNumber } from './stored-number.ts'

/** An assignment of agents and the target workspace. */
interface AssignmentRequest extends AssignNumberAgentsBody {
  readonly workspaceId: number
}

/**
 * Applies an assignment to a number. Absent fields keep their values. Moving to another workspace unbinds the previous agents.
 * Throws `invalid_request` for a version without an agent.
 */
export function decideBindings<Settings extends NumberSettings>(
  current: Settings,
  request: AssignmentRequest,
): Settings {
  const movedSettings =
    request.workspaceId === current.workspaceId ? current : moveToWorkspace(current, request.workspaceId)
  return {
    ...movedSettings,
    inbound: request.inboundAgents ?? movedSettings.inbound,
    outbound: decideOutbound(movedSettings.outbound, request),
    inboundWebhookUrl:
      request.inboundWebhookUrl === undefined ? movedSettings.inboundWebhookUrl : request.inboundWebhookUrl,
    isTimeRoutingEnabled: request.isTimeRoutingEnabled ?? movedSettings.isTimeRoutingEnabled,
  }
}

/**
 * Decides the outbound agent. A new agent without a version uses the agent's live version. A version without an agent applies to
 * the current agent.
 */
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

function moveToWorkspace<Settings extends NumberSettings>(settings: Settings, workspaceId: number): Settings {
  return { ...settings, workspaceId, inbound: [], outbound: null, defaultAgentId: null, timeRouting: null }
}

/** Applies a PATCH body. Absent fields keep their values. */
export function editNumber<Settings extends NumberSettings>(current: Settings, body: UpdateNumberBody): Settings {
  const withDefault = <Value>(requested: Value | undefined, current: Value): Value =>
    requested === undefined ? current : requested
  return {
    ...current,
    nickname: withDefault(body.nickname, current.nickname),
    defaultAgentId: withDefault(body.default_agent_id, current.defaultAgentId),
    sticky: withDefault(body.sticky, current.sticky),
    inboundWebhookUrl: withDefault(body.inbound_webhook_url, current.inboundWebhookUrl),
    isTimeRoutingEnabled: withDefault(body.is_time_routing_enabled, current.isTimeRoutingEnabled),
    timeRouting: withDefault(body.time_routing, current.timeRouting),
    fallbackNumber: withDefault(body.fallback_number, current.fallbackNumber),
  }
}

/** Builds the API representation of a number, including derived fields. */
export function toPhoneNumber(storedNumber: StoredNumber): PhoneNumber {
  const { inbound } = storedNumber
  return {
    id: storedNumber.id,
    number: storedNumber.number,
    base_number: storedNumber.number.replace(/\D/g, ''),
    ...toNumberAssignment(storedNumber),
    default_agent_id: storedNumber.defaultAgentId,
    inbound_agent_version: inbound.length === 1 ? (inbound[0]?.agent_version ?? null) : null,
    outbound_agent_version: storedNumber.outbound?.agent_version ?? null,
    application_sid: storedNumber.applicationSid,
    phone_number_sid: storedNumber.phoneNumberSid,
    inbound_webhook_url: storedNumber.inboundWebhookUrl,
    provider: storedNumber.provider,
    verified_by: storedNumber.verifiedBy,
    nickname: storedNumber.nickname,
    sticky: storedNumber.sticky,
    time_routing: storedNumber.timeRouting,
    fallback_number: storedNumber.fallbackNumber,
    termination_uri: storedNumber.terminationUri,
    has_credentials: storedNumber.hasCredentials,
    created_at: new Date(storedNumber.createdAt).toISOString(),
    updated_at: new Date(storedNumber.updatedAt).toISOString(),
  }
}

/** Builds the summary of inbound and outbound agents. */
export function toNumberAssignment(storedNumber: StoredNumber): NumberAssignment {
  const { inbound, outbound } = storedNumber
  return {
    account_sid: storedNumber.accountSid,
    workspace_id: storedNumber.workspaceId,
    agent_id: findHeaviestAgent(inbound)?.agent_id ?? storedNumber.defaultAgentId,
    inbound_agent_id: inbound.length === 1 ? (inbound[0]?.agent_id ?? null) : null,
    inbound_agents: [...inbound],
    outbound_agents: outbound === null ? [] : [{ ...outbound, weight: 1 }],
    is_time_routing_enabled: storedNumber.isTimeRoutingEnabled,
    platform_import_error: storedNumber.importError !== null,
    platform_import_error_message: storedNumber.importError,
  }
}

/** Returns the agent with the highest weight. If several agents have it, returns the first. */
function findHeaviestAgent(agents: readonly WeightedAgent[]): WeightedAgent | undefined {
  return agents.reduce<WeightedAgent | undefined>(
    (best, agent) => (best === undefined || agent.weight > best.weight ? agent : best),
    undefined,
  )
}

/** Describes the result of an assignment, including remaining problems. */
export function describeAssignment(before: StoredNumber, after: StoredNumber): string {
  const sentences = [`The agents of ${after.number} are assigned.`]
  if (before.workspaceId !== after.workspaceId) {
    sentences.unshift(`${after.number} moved to workspace ${after.workspaceId}.`)
  }
  if (after.isTimeRoutingEnabled && (after.timeRouting?.windows ?? []).length === 0) {
    sentences.push('Time routing is on but has no effect without windows in "time_routing".')
  }
  if (after.importError !== null) sentences.push(after.importError)
  return sentences.join(' ')
}
