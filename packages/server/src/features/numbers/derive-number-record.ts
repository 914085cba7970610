import type { WeightedAgent } from '@parley/contract/number-agent'
import type { NumberAssignment, PhoneNumber } from '@parley/contract/phone-number'
import type { StoredNumber } from './stored-number.ts'

/** The answer of a number: what is derivable is derived here and stored nowhere. */
export function deriveNumberRecord(stored: StoredNumber): PhoneNumber {
  const { inbound } = stored
  return {
    id: stored.id,
    number: stored.number,
    base_number: stored.number.replace(/\D/g, ''),
    ...deriveAssignment(stored),
    default_agent_id: stored.defaultAgentId,
    inbound_agent_version: inbound.length === 1 ? (inbound[0]?.agent_version ?? null) : null,
    outbound_agent_version: stored.outbound?.agent_version ?? null,
    application_sid: stored.applicationSid,
    phone_number_sid: stored.phoneNumberSid,
    inbound_webhook_url: stored.inboundWebhookUrl,
    provider: stored.provider,
    verified_by: stored.verifiedBy,
    nickname: stored.nickname,
    sticky: stored.sticky,
    time_routing: stored.timeRouting,
    fallback_number: stored.fallbackNumber,
    termination_uri: stored.terminationUri,
    has_credentials: stored.hasCredentials,
    created_at: new Date(stored.createdAt).toISOString(),
    updated_at: new Date(stored.updatedAt).toISOString(),
  }
}

/** The summary of who answers and who calls. */
export function deriveAssignment(stored: StoredNumber): NumberAssignment {
  const { inbound, outbound } = stored
  return {
    account_sid: stored.accountSid,
    workspace_id: stored.workspaceId,
    agent_id: heaviest(inbound)?.agent_id ?? stored.defaultAgentId,
    inbound_agent_id: inbound.length === 1 ? (inbound[0]?.agent_id ?? null) : null,
    inbound_agents: [...inbound],
    outbound_agents: outbound === null ? [] : [{ ...outbound, weight: 1 }],
    is_time_routing_enabled: stored.isTimeRoutingEnabled,
    platform_import_error: stored.importError !== null,
    platform_import_error_message: stored.importError,
  }
}

/** Of equal weights the first in the caller's order. */
function heaviest(agents: readonly WeightedAgent[]): WeightedAgent | undefined {
  return agents.reduce<WeightedAgent | undefined>(
    (best, agent) => (best === undefined || agent.weight > best.weight ? agent : best),
    undefined,
  )
}

/** Says in sentences what an assignment did and what does not work yet. */
export function describeAssignment(before: StoredNumber, after: StoredNumber): string {
  const sentences = [`The agents of ${after.number} are assigned.`]
  if (before.workspaceId !== after.workspaceId) {
    sentences.unshift(`${after.number} moved to workspace ${after.workspaceId}.`)
  }
  if (after.isTimeRoutingEnabled && (after.timeRouting?.windows ?? []).length === 0) {
    sentences.push('Time routing is on but has no effect until the number has windows in "time_routing".')
  }
  if (after.importError !== null) sentences.push(after.importError)
  return sentences.join(' ')
}
