import { z } from 'zod'
import { id, integer } from './fields.ts'
import { defineObject } from './named-object.ts'

/** Weighted agents of a phone number. */

/** Maximum number of inbound agents per number. */
const MAX_INBOUND_AGENTS = 20
/** Tolerance for the sum of weights. */
const WEIGHT_TOLERANCE = 0.001
/** Number of units in a whole share. Shares have six decimals. */
const SHARE_UNITS = 1e6
/** Tolerance for floating-point errors. */
const ROUNDING_TOLERANCE = 1e-9

/** An agent in a response. Without a version, calls use the agent's active version. */
export const WeightedAgent = defineObject('WeightedAgent', {
  agent_id: z.string(),
  agent_version: z.int().nullable().describe('Version of the agent. If null, the active version is used.'),
  weight: z.number().describe('Share of calls, greater than 0 and at most 1.'),
})
export type WeightedAgent = z.infer<typeof WeightedAgent>

const WEIGHT_RULE = 'must be above 0 and at most 1'

const WeightedAgentInput = defineObject('WeightedAgentInput', {
  agent_id: id().describe('ID of an agent in the workspace.'),
  agent_version: integer(1).nullable().default(null).describe('Version of the agent. Defaults to the active version.'),
  weight: z
    .number()
    .gt(0, WEIGHT_RULE)
    .max(1, WEIGHT_RULE)
    .nullable()
    .default(null)
    .describe('Share of calls. Agents without a weight share the remainder equally.'),
})

/** Agents in a body, with all weights filled in. Invalid sums and duplicate agents are rejected. */
export const WeightedAgentList = z
  .array(WeightedAgentInput)
  .max(MAX_INBOUND_AGENTS)
  .transform((agents, context): WeightedAgent[] => {
    const seenIds = new Set<string>()
    for (const [index, { agent_id, agent_version }] of agents.entries()) {
      const key = JSON.stringify([agent_id, agent_version])
      if (seenIds.has(key)) {
        context.addIssue({
          code: 'custom',
          path: [index],
          message: 'must not contain the same agent and version twice',
        })
      }
      seenIds.add(key)
    }
    const completedWeights = completeWeights(agents.map(({ weight }) => weight))
    if (completedWeights.type === 'invalid') context.addIssue({ code: 'custom', message: completedWeights.message })
    if (completedWeights.type === 'invalid' || seenIds.size < agents.length) return z.NEVER
    return agents.map((agent, index) => ({ ...agent, weight: completedWeights.weights[index] ?? 0 }))
  })

export type CompletedWeights =
  | { readonly type: 'valid'; readonly weights: readonly number[] }
  | { readonly type: 'invalid'; readonly message: string }

/** Distributes the remaining share equally among missing weights. */
export function completeWeights(weights: readonly (number | null)[]): CompletedWeights {
  const sum = weights.reduce<number>((partialSum, weight) => partialSum + (weight ?? 0), 0)
  const missingCount = weights.filter((weight) => weight === null).length
  if (missingCount === 0) {
    const hasValidSum = weights.length === 0 || Math.abs(sum - 1) <= WEIGHT_TOLERANCE + ROUNDING_TOLERANCE
    if (hasValidSum) return { type: 'valid', weights: weights.map(Number) }
    return { type: 'invalid', message: `must have weights that add up to 1, not ${formatSum(sum)}` }
  }
  const share = Math.floor(((1 - sum) / missingCount) * SHARE_UNITS + ROUNDING_TOLERANCE) / SHARE_UNITS
  if (share <= 0) {
    const message = `must leave a share for the agents without a weight: the other weights add up to ${formatSum(sum)}`
    return { type: 'invalid', message }
  }
  return { type: 'valid', weights: weights.map((weight) => weight ?? share) }
}

const formatSum = (sum: number): string => String(Math.round(sum * SHARE_UNITS) / SHARE_UNITS)
