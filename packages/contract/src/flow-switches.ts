import { z } from 'zod'

/** Flow fields from other platforms. They are not stored and have no effect. */

/** Rejected if true, since the conversation would not behave as its author expects. */
export const flexMode = z
  .literal(false, {
    error: 'must be false: a flow runs node by node; use an LLM configuration for a single prompt',
  })
  .nullable()
  .optional()
  .describe('Must be false or null because flows run node by node. The value is not stored.')

export const flowSwitches = {
  flex_mode: flexMode,
  tool_call_strict_mode: z
    .boolean()
    .nullable()
    .optional()
    .describe('Accepted but not stored. Tool arguments are always validated against their schema.'),
  is_transfer_cf: z
    .boolean()
    .nullable()
    .optional()
    .describe('Accepted but not stored. Calls cannot be transferred to agents yet.'),
}

export type FlowSwitches = { readonly [Name in keyof typeof flowSwitches]: z.output<(typeof flowSwitches)[Name]> }

/** Priority of model requests. */
export const highPriority = z.boolean().optional().describe('Has no effect. All model requests have the same priority.')
