import { z } from 'zod'
import { id, integer } from './fields.ts'
import { DEFAULT_FILTER_SCORE, DEFAULT_TOP_K } from './knowledge-passage.ts'
import { defineDescribedObject } from './named-object.ts'

/** How agents use knowledge bases. */

/** Maximum number of knowledge bases per engine or node. */
const MAX_KNOWLEDGE_BASES = 100

export const KNOWLEDGE_BASE_IDS = 'IDs of the knowledge bases that the agent uses to answer.'
const KB_CONFIG = 'Settings for searching knowledge bases before each answer.'
const TOP_K = 'Maximum number of passages, from 1 to 10.'
const FILTER_SCORE = 'Minimum score of passages, from 0 to 1.'

export const KnowledgeBaseIds = z.array(id()).max(MAX_KNOWLEDGE_BASES)

/** Search settings in a response, including defaults. */
export const KbConfig = defineDescribedObject('KbConfig', KB_CONFIG, {
  top_k: z.int().describe(TOP_K),
  filter_score: z.number().describe(FILTER_SCORE),
})
export type KbConfig = z.infer<typeof KbConfig>

/** Search settings in a body. Omitted and null values get the default. */
export const KbConfigInput = z
  .object({
    top_k: integer(1, 10).nullable().optional().describe(`${TOP_K} Defaults to ${DEFAULT_TOP_K}.`),
    filter_score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .optional()
      .describe(`${FILTER_SCORE} Defaults to ${DEFAULT_FILTER_SCORE}.`),
  })
  .transform((settings) => completeKbConfig(settings))
  .describe(KB_CONFIG)

/** Search settings of a node. Omitted values default to the settings of the flow. */
export const NodeKbConfig = z
  .object({
    top_k: integer(1, 10).optional().describe(TOP_K),
    filter_score: z.number().min(0).max(1).optional().describe(FILTER_SCORE),
  })
  .describe(KB_CONFIG)

/** Fills in the defaults of omitted search settings. */
export function completeKbConfig(settings: {
  readonly top_k?: number | null | undefined
  readonly filter_score?: number | null | undefined
}): KbConfig {
  return { top_k: settings.top_k ?? DEFAULT_TOP_K, filter_score: settings.filter_score ?? DEFAULT_FILTER_SCORE }
}
