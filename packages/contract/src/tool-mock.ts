import { z } from 'zod'
import { freeObject, orDefault } from './fields.ts'
import { defineObject } from './named-object.ts'
import { ToolName } from './tool-fields.ts'

/** Mock results of tools, for simulations and tests. */

/** Maximum number of characters in a mock result, the same limit as for a tool result. */
const MOCK_OUTPUT_LIMIT = 15_000

/** Maximum number of mocks per conversation. */
export const MAX_TOOL_MOCKS = 100

/** Match rule in a response; `args` is returned unchanged. */
const MatchRule = z.discriminatedUnion('type', [
  z.object({ type: z.literal('any') }),
  z.object({ type: z.literal('partial_match'), args: z.record(z.string(), z.unknown()) }),
])

const MOCKED_TOOL = 'Name of the mocked tool.'
const MATCH_RULE =
  'Calls that the mock handles: `any`, or only calls whose arguments contain `args`. All other calls run the real tool.'
const MOCK_OUTPUT = 'Result for the model.'
const MOCK_RESULT = 'Whether the call counts as successful, or null if this is undecided.'

export const ToolMock = defineObject('ToolMock', {
  tool_name: z.string().describe(MOCKED_TOOL),
  input_match_rule: MatchRule.describe(MATCH_RULE),
  output: z.string().describe(MOCK_OUTPUT),
  result: z.boolean().nullable().describe(MOCK_RESULT),
})
export type ToolMock = z.infer<typeof ToolMock>

export const ToolMockInput = defineObject('ToolMockInput', {
  tool_name: ToolName.describe(MOCKED_TOOL),
  input_match_rule: orDefault(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('any') }),
      z.object({ type: z.literal('partial_match'), args: freeObject() }),
    ]),
    () => ({ type: 'any' as const }),
  ).describe(MATCH_RULE),
  output: z.string().max(MOCK_OUTPUT_LIMIT).describe(MOCK_OUTPUT),
  result: z.boolean().nullable().default(null).describe(MOCK_RESULT),
})

export type ToolMockInput = z.output<typeof ToolMockInput>
