import { z } from 'zod'
import { bodyWorkspace, freeObject, orDefault, StringMap, Variables } from './fields.ts'
import { McpServerList } from './mcp-server.ts'
import { defineOperation } from './operation.ts'
import { secretsFrom } from './secrets-from.ts'
import { Tool } from './tools.ts'

/** Trying a tool out without an agent. */

export const TestToolBody = z
  .object({
    workspaceId: bodyWorkspace(),
    tool: Tool.meta({ description: 'The tool as an LLM configuration or flow would carry it.' }),
    args: orDefault(freeObject(256 * 1024), () => ({})).meta({ description: 'Arguments as a model would give them.' }),
    dynamicVariables: orDefault(Variables, () => ({})).meta({ description: 'Values of `{{variables}}`.' }),
    mcps: orDefault(McpServerList, () => []).meta({ description: 'The MCP server that an `mcp` tool names.' }),
    secrets_from: secretsFrom(),
  })
  .meta({ id: 'TestToolBody' })
export type TestToolBody = z.output<typeof TestToolBody>

export const ToolTestResult = z
  .object({
    status: z.enum(['success', 'error']),
    body: z.string().meta({ description: 'What the model would be told, at most 15,000 characters.' }),
    variables: StringMap.meta({ description: 'Variables that the result sets.' }),
    durationMs: z.int(),
    error: z.string().nullable().meta({ description: 'What went wrong; null when nothing did.' }),
  })
  .meta({ id: 'ToolTestResult' })
export type ToolTestResult = z.output<typeof ToolTestResult>

export const testTool = defineOperation({
  name: 'testTool',
  method: 'POST',
  path: '/api/tools/test',
  tag: 'Playground',
  summary: 'Try a tool',
  description:
    'Runs the tool with the given arguments, as an agent would: signed, with its retries and limits. A tool that fails is ' +
    'an answer with `status` `error`. Text messages are not sent and agents not swapped.',
  access: 'write',
  workspace: 'body',
  body: TestToolBody,
  status: 200,
  result: ToolTestResult,
})
