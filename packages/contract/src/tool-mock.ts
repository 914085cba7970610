import { z } from 'zod'
import { freeObject, orDefault } from './fields.ts'
import { namedObject } from './named-object.ts'
import { ToolName } from './tool-fields.ts'

/** Mock results of tools, for simulations and tests. */

/** Characters, the same limit as for the result of a tool. */
const MOCK_OUTPUT_LIMIT = 15_000

/** Maximum number of mocks in a conversation. */
export const MAX_TOOL_MOCKS = 100

/** The rule in a response; `args` is returned unchanged. */
const MatchRule = z.discriminatedUnion('type', [
  z.object({ type: z.literal('any') }),
  z.object({ type: z.literal('partial_match'), args: z.record(z.string(), z.unknown()) }),
])

const MOCKED_TOOL = 'Name of the mocked tool.'
const MATCH_RULE =
  'Calls that the mock answers: `any`, or only those whose arguments contain `args`. Other calls reach the real tool.'
const MOCK_OUTPUT = 'Result for the model.'
const MOCK_RESULT = 'Whether the call counts as successful. Null leaves it undecided.'

export const ToolMock = namedObject('ToolMock', {
  tool_name: z.string().describe(MOCKED_TOOL),
  input_match_rule: MatchRule.describe(MATCH_RULE),
  output: z.string().describe(MOCK_OUTPUT),
  result: z.boolean().nullable().describe(MOCK_RESULT),
})
export type ToolMock = z.infer<typeof ToolMock>

export const ToolMockInput = namedObject('ToolMockInput', {
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
