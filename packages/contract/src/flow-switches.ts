import { z } from 'zod'

/** Fields of flows from other platforms. They are not stored and have no effect. */

/** Refused if on, since the conversation would differ from what its author expects. */
export const flexMode = z
  .literal(false, {
    error: 'must be false: a flow runs node by node; use an LLM configuration for a single prompt',
  })
  .nullable()
  .optional()
  .describe('Must be false or null, since a flow runs node by node. Not stored.')

export const flowSwitches = {
  flex_mode: flexMode,
  tool_call_strict_mode: z
    .boolean()
    .nullable()
    .optional()
    .describe('Not stored and without effect: tool arguments are always validated against their schema.'),
  is_transfer_cf: z
    .boolean()
    .nullable()
    .optional()
    .describe('Not stored and without effect: calls cannot be transferred to agents yet.'),
}

export type FlowSwitches = { readonly [Name in keyof typeof flowSwitches]: z.output<(typeof flowSwitches)[Name]> }

/** Priority of model requests. */
export const highPriority = z
  .boolean()
  .optional()
  .describe('Without effect: all model requests have the same priority.')
