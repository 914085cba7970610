import { createHash } from 'node:crypto'
import type { WeightedAgent } from '@parley/contract/number-agent'
import type { Random } from '@parley/engine/ports'
import type { StoredNumber } from './stored-number.ts'

/** What decides who answers a call to a number. */
export type InboundNumber = Pick<StoredNumber, 'number' | 'inbound' | 'sticky' | 'defaultAgentId'>

/** Bits of a hash that fit into the integers of a number. */
const HASH_BITS = 48

/**
 * Who answers a call: each inbound agent gets its share of the callers, and a caller meets the same one again, also when the
 * weights of others change. Without a caller's number, or when the number is not sticky, chance decides anew each time.
 * The default agent answers when no inbound agent is bound; null when there is none either.
 *
 * Weighted rendezvous hashing: the highest of weight / -ln(u) wins, with u uniform in (0, 1) for each caller and agent.
 */
export function chooseInboundAgent(
  number: InboundNumber,
  callerId: string | null,
  random: Random,
): WeightedAgent | null {
  const { inbound, defaultAgentId } = number
  const chosen =
    callerId !== null && number.sticky
      ? chooseByHash(inbound, [number.number, callerId])
      : chooseByChance(inbound, random())
  if (chosen !== undefined) return chosen
  return defaultAgentId === null ? null : { agent_id: defaultAgentId, agent_version: null, weight: 1 }
}

function chooseByHash(agents: readonly WeightedAgent[], hashKey: readonly string[]): WeightedAgent | undefined {
  const scored = agents.map((agent) => {
    const uniform = hashToUniform([...hashKey, agent.agent_id, agent.agent_version])
    return { agent, score: agent.weight / -Math.log(uniform) }
  })
  return scored.sort((a, b) => b.score - a.score)[0]?.agent
}

/** The weights need not add up to 1 exactly. */
function chooseByChance(agents: readonly WeightedAgent[], chance: number): WeightedAgent | undefined {
  let left = chance * agents.reduce((total, { weight }) => total + weight, 0)
  return (
    agents.find(({ weight }) => {
      left -= weight
      return left < 0
    }) ?? agents.at(-1)
  )
}

/** Never 0 or 1, whose logarithms have no use. */
function hashToUniform(parts: readonly unknown[]): number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest()
  return (digest.readUIntBE(0, HASH_BITS / 8) + 0.5) / 2 ** HASH_BITS
}
