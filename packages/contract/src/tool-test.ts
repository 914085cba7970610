import { z } from 'zod'
import { bodyWorkspace, freeObject, orDefault, StringMap, Variables } from './fields.ts'
import { McpServerList } from './mcp-server.ts'
import { defineOperation } from './operation.ts'
import { secretsFrom } from './secrets-from.ts'
import { Tool } from './tools.ts'

/** Tests a tool without an agent. */

export const TestToolBody = z
  .object({
    workspaceId: bodyWorkspace(),
    tool: Tool.meta({ description: 'Tool to run, as in an LLM configuration or flow.' }),
    args: orDefault(freeObject(256 * 1024), () => ({})).meta({ description: 'Arguments of the call.' }),
    dynamicVariables: orDefault(Variables, () => ({})).meta({ description: 'Values of `{{variables}}`.' }),
    mcps: orDefault(McpServerList, () => []).meta({ description: 'MCP server of an `mcp` tool.' }),
    secrets_from: secretsFrom(),
  })
  .meta({ id: 'TestToolBody' })
export type TestToolBody = z.output<typeof TestToolBody>

export const ToolTestResult = z
  .object({
    status: z.enum(['success', 'error']),
    body: z.string().meta({ description: 'Result for the model, at most 15,000 characters.' }),
    variables: StringMap.meta({ description: 'Variables that the result sets.' }),
    durationMs: z.int(),
    error: z.string().nullable().meta({ description: 'Error message, or null if the call succeeded.' }),
  })
  .meta({ id: 'ToolTestResult' })
export type ToolTestResult = z.output<typeof ToolTestResult>

export const testTool = defineOperation({
  name: 'testTool',
  method: 'POST',
  path: '/api/tools/test',
  tag: 'Playground',
  summary: 'Test a tool',
  description:
    'Runs a tool with the given arguments like an agent does, including signature, retries and limits. A failed ' +
    'tool returns `status` `error`. Text messages are not sent, and agents are not swapped.',
  access: 'write',
  body: TestToolBody,
  result: ToolTestResult,
})
