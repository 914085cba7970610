import { z } from 'zod'
import { id, integer } from './fields.ts'
import { DEFAULT_FILTER_SCORE, DEFAULT_TOP_K } from './knowledge-passage.ts'

/** How agents draw on knowledge bases. */

/** Knowledge bases that one engine or node can name. */
const MAX_KNOWLEDGE_BASES = 100

export const KNOWLEDGE_BASE_IDS = { description: 'Knowledge bases that answers can draw on.' }
const KB_CONFIG = { description: 'How knowledge bases are searched before each answer.' }
const TOP_K = { description: 'How many passages to find at most, 1 to 10.' }
const FILTER_SCORE = { description: 'How well a passage must fit at least, 0 to 1.' }

export const KnowledgeBaseIds = z.array(id()).max(MAX_KNOWLEDGE_BASES)

/** As it is answered: complete. */
export const KbConfig = z
  .object({ top_k: z.int().meta(TOP_K), filter_score: z.number().meta(FILTER_SCORE) })
  .meta({ id: 'KbConfig', ...KB_CONFIG })
export type KbConfig = z.infer<typeof KbConfig>

/** As it is given: what is absent or null is the default. */
export const KbConfigInput = z
  .object({
    top_k: integer(1, 10)
      .nullable()
      .optional()
      .meta({ description: `${TOP_K.description} ${DEFAULT_TOP_K} by default.` }),
    filter_score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .optional()
      .meta({ description: `${FILTER_SCORE.description} ${DEFAULT_FILTER_SCORE} by default.` }),
  })
  .transform((given) => completeKbConfig(given))
  .meta(KB_CONFIG)

/** Of a node: what it leaves out is as in the flow. */
export const NodeKbConfig = z
  .object({
    top_k: integer(1, 10).optional().meta(TOP_K),
    filter_score: z.number().min(0).max(1).optional().meta(FILTER_SCORE),
  })
  .meta(KB_CONFIG)

/** Fills in the defaults. */
export function completeKbConfig(given: {
  readonly top_k?: number | null | undefined
  readonly filter_score?: number | null | undefined
}): KbConfig {
  return { top_k: given.top_k ?? DEFAULT_TOP_K, filter_score: given.filter_score ?? DEFAULT_FILTER_SCORE }
}
