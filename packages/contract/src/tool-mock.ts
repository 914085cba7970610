import { z } from 'zod'
import { freeObject, orDefault } from './fields.ts'
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

const MOCKED_TOOL = { description: 'Name of the mocked tool.' }
const MATCH_RULE = {
  description:
    'Calls that the mock answers: `any`, or only those whose arguments contain `args`. Other calls reach the real ' +
    'tool.',
}
const MOCK_OUTPUT = { description: 'Result for the model.' }
const MOCK_RESULT = { description: 'Whether the call counts as successful. Null leaves it undecided.' }

export const ToolMock = z
  .object({
    tool_name: z.string().meta(MOCKED_TOOL),
    input_match_rule: MatchRule.meta(MATCH_RULE),
    output: z.string().meta(MOCK_OUTPUT),
    result: z.boolean().nullable().meta(MOCK_RESULT),
  })
  .meta({ id: 'ToolMock' })
export type ToolMock = z.infer<typeof ToolMock>

export const ToolMockInput = z
  .object({
    tool_name: ToolName.meta(MOCKED_TOOL),
    input_match_rule: orDefault(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('any') }),
        z.object({ type: z.literal('partial_match'), args: freeObject() }),
      ]),
      () => ({ type: 'any' as const }),
    ).meta(MATCH_RULE),
    output: z.string().max(MOCK_OUTPUT_LIMIT).meta(MOCK_OUTPUT),
    result: z.boolean().nullable().default(null).meta(MOCK_RESULT),
  })
  .meta({ id: 'ToolMockInput' })

export type ToolMockInput = z.output<typeof ToolMockInput>
