import type { WeightedAgent } from '@parley/contract/number-agent'
import type { NumberProvider, PhoneNumber } from '@parley/contract/phone-number'
import type { TimeRouting } from '@parley/contract/time-routing'

/** An agent of a number; without a version, the active one. */
export type AgentReference = Pick<WeightedAgent, 'agent_id' | 'agent_version'>

/** The editable settings of a number. */
export interface NumberSettings {
  readonly workspaceId: number
  /** In the caller's order; weights add up to 1. */
  readonly inbound: readonly WeightedAgent[]
  readonly outbound: AgentReference | null
  readonly defaultAgentId: string | null
  readonly inboundWebhookUrl: string | null
  readonly isTimeRoutingEnabled: boolean
  readonly timeRouting: TimeRouting | null
  readonly sticky: boolean
  readonly nickname: string | null
  readonly fallbackNumber: string | null
}

/** A stored number with its agents. */
export interface StoredNumber extends NumberSettings {
  readonly id: number
  /** E.164 or an extension. */
  readonly number: string
  /** Of its workspace. */
  readonly accountSid: string
  readonly provider: NumberProvider
  /** Who verified that it belongs to its account; null when nobody did. */
  readonly verifiedBy: PhoneNumber['verified_by']
  readonly applicationSid: string
  readonly phoneNumberSid: string
  readonly terminationUri: string | null
  readonly hasCredentials: boolean
  /** Why the carrier does not route calls; null when it does. */
  readonly importError: string | null
  readonly editCount: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** The digits of a number in any spelling; null for anything else. */
export function readBaseNumber(text: string): string | null {
  return /^\+?(\d{2,15})$/.exec(text.replace(/[\s().-]/g, ''))?.[1] ?? null
}
