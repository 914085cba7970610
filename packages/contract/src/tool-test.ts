import { z } from 'zod'
import { bodyWorkspace, freeObject, orDefault, StringMap, Variables } from './fields.ts'
import { McpServerList } from './mcp-server.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { secretsFrom } from './secrets-from.ts'
import { Tool } from './tools.ts'

/** Operation that tests a tool without an agent. */

export const TestToolBody = defineObject('TestToolBody', {
  workspaceId: bodyWorkspace(),
  tool: Tool.describe('Tool to run, in the same form as in an LLM configuration or flow.'),
  args: orDefault(freeObject(256 * 1024), () => ({})).describe('Arguments of the call.'),
  dynamicVariables: orDefault(Variables, () => ({})).describe('Values of `{{variables}}`.'),
  mcps: orDefault(McpServerList, () => []).describe('MCP server of an `mcp` tool.'),
  secrets_from: secretsFrom(),
})
export type TestToolBody = z.output<typeof TestToolBody>

export const ToolTestResult = defineObject('ToolTestResult', {
  status: z.enum(['success', 'error']),
  body: z.string().describe('Result for the model, at most 15,000 characters.'),
  variables: StringMap.describe('Variables that the result sets.'),
  durationMs: z.int(),
  error: z.string().nullable().describe('Error message, or null if the call succeeded.'),
})
export type ToolTestResult = z.output<typeof ToolTestResult>

export const testTool = defineOperation({
  name: 'testTool',
  route: 'POST /api/tools/test',
  tag: 'Playground',
  summary: 'Test a tool',
  description:
    'Runs a tool with the specified arguments as an agent would, including signature, retries and limits. A failed ' +
    'tool returns `status` `error`. Text messages are not sent, and agents are not swapped.',
  access: 'write',
  body: TestToolBody,
  result: ToolTestResult,
})
