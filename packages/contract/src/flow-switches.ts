import { z } from 'zod'

/** Switches that flows of other platforms carry. They are not kept: a flow works as if they were off. */

/** Refused when it is on: the conversation would go another way than the author expects. */
export const flexMode = z
  .literal(false, {
    error: 'must be false: a flow follows its nodes one by one; for one prompt, use an LLM configuration',
  })
  .nullable()
  .optional()
  .meta({ description: 'Only false or null: a flow follows its nodes one by one. Not kept.' })

export const flowSwitches = {
  flex_mode: flexMode,
  tool_call_strict_mode: z.boolean().nullable().optional().meta({
    description: 'Not kept and without effect: arguments of tools are always checked against their schema.',
  }),
  is_transfer_cf: z.boolean().nullable().optional().meta({
    description: 'Not kept and without effect: calls cannot be transferred to an agent yet.',
  }),
}

export type FlowSwitches = { readonly [Name in keyof typeof flowSwitches]: z.output<(typeof flowSwitches)[Name]> }

/** The priority of requests to a model, in the choice of one. */
export const highPriority = z.boolean().optional().meta({
  description: 'Without effect: all requests to a model have the same priority.',
})
