import { z } from 'zod'
import { freeObject, orDefault } from './fields.ts'
import { ToolName } from './tool-fields.ts'

/** Results in the place of those of tools, for simulations and trials. */

/** Characters; what the model sees of a real tool's result. */
const MOCK_OUTPUT_LIMIT = 15_000

/** Most mocks of one conversation. */
export const MAX_TOOL_MOCKS = 100

/** As answers carry it; `args` stays as it was given. */
const MatchRule = z.discriminatedUnion('type', [
  z.object({ type: z.literal('any') }),
  z.object({ type: z.literal('partial_match'), args: z.record(z.string(), z.unknown()) }),
])

const MOCKED_TOOL = { description: 'Name of the tool of the engine that it stands for.' }
const MATCH_RULE = {
  description: 'Which calls it answers: `any`, or those whose arguments hold `args`. Others reach the real tool.',
}
const MOCK_OUTPUT = { description: 'Result that the model sees.' }
const MOCK_RESULT = { description: 'Whether the call counts as a success; null leaves it open.' }

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
