import { createHash } from 'node:crypto'
import type { WeightedAgent } from '@parley/contract/number-agent'
import type { NumberProvider, PhoneNumber } from '@parley/contract/phone-number'
import type { TimeRouting } from '@parley/contract/time-routing'
import type { Random } from '@parley/engine/ports'

/** The fields of a number that decide which agent takes a call. */
export type InboundNumber = Pick<StoredNumber, 'number' | 'inbound' | 'sticky' | 'defaultAgentId'>

/** Number of hash bits that fit into a safe integer. */
const HASH_BITS = 48

/**
 * Chooses the agent for a call. On a sticky number, a caller always reaches the same agent, even if the weights of other agents
 * change. Otherwise, the choice is random by weight. A number without inbound agents uses its default agent. Returns null if
 * there is no agent.
 *
 * Uses weighted rendezvous hashing: the highest value of weight / -ln(u) wins, with u uniform in (0, 1) for each caller and
 * agent.
 */
export function chooseInboundAgent(
  number: InboundNumber,
  callerId: string | null,
  random: Random,
): WeightedAgent | null {
  const { inbound, defaultAgentId } = number
  const selectedAgent =
    callerId !== null && number.sticky
      ? chooseByHash(inbound, [number.number, callerId])
      : chooseByChance(inbound, random())
  if (selectedAgent !== undefined) return selectedAgent
  return defaultAgentId === null ? null : { agent_id: defaultAgentId, agent_version: null, weight: 1 }
}

function chooseByHash(agents: readonly WeightedAgent[], hashKey: readonly string[]): WeightedAgent | undefined {
  const scoredAgents = agents.map((agent) => {
    const uniform = hashToUniform([...hashKey, agent.agent_id, agent.agent_version])
    return { agent, score: agent.weight / -Math.log(uniform) }
  })
  return scoredAgents.sort((a, b) => b.score - a.score)[0]?.agent
}

/** Chooses an agent at random by weight. The weights need not add up to exactly 1. */
function chooseByChance(agents: readonly WeightedAgent[], randomValue: number): WeightedAgent | undefined {
  let remainingWeight = randomValue * agents.reduce((total, { weight }) => total + weight, 0)
  return (
    agents.find(({ weight }) => {
      remainingWeight -= weight
      return remainingWeight < 0
    }) ?? agents.at(-1)
  )
}

/** Hashes values to a number between 0 and 1, both exclusive, so that its logarithm is finite and not 0. */
function hashToUniform(parts: readonly unknown[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest()
  return (digest.readUIntBE(0, HASH_BITS / 8) + 0.5) / 2 ** HASH_BITS
}

/** An agent of a number. If the version is null, the live version is used. */
export type AgentReference = Pick<WeightedAgent, 'agent_id' | 'agent_version'>

/** The editable settings of a number. */
export interface NumberSettings {
  readonly workspaceId: number
  /** Inbound agents in the order of the request. Their weights add up to 1. */
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
  /** E.164 number or extension. */
  readonly number: string
  /** The account that owns the number's workspace. */
  readonly accountSid: string
  readonly provider: NumberProvider
  /** Who verified that the account owns the number, or null if nobody did. */
  readonly verifiedBy: PhoneNumber['verified_by']
  readonly applicationSid: string
  readonly phoneNumberSid: string
  readonly terminationUri: string | null
  readonly hasCredentials: boolean
  /** Why the carrier does not route calls to this server, or null if it does. */
  readonly importError: string | null
  readonly editCount: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** Returns the digits of a phone number in any format, or null if the text is not a phone number. */
export function parseBaseNumber(text: string): string | null {
  return /^\+?(\d{2,15})$/.exec(text.replace(/[\s().-]/g, ''))?.[1] ?? null
}
