import { z } from 'zod'
import { MessageToolCall } from './chat-message.ts'
import { Decision } from './chat-turn.ts'
import { PlaygroundState } from './dialogue-state.ts'
import { bodyWorkspace, id, integer, MESSAGE_LIMIT_BYTES, StringMap, text, Variables } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { MAX_TOOL_MOCKS, ToolMockInput } from './tool-mock.ts'

/** Tests one turn of an agent from any node or state. Nothing is stored. */

const HistoryMessage = z
  .discriminatedUnion('role', [
    z.object({ role: z.literal('user'), content: text(MESSAGE_LIMIT_BYTES) }),
    z.object({
      role: z.literal('assistant'),
      content: text(256 * 1024),
      tool_calls: z.array(MessageToolCall).max(100).optional(),
    }),
    z.object({
      role: z.literal('tool'),
      content: text(512 * 1024),
      name: z.string().max(200).optional(),
      tool_call_id: z.string().min(1).max(200),
    }),
    z.object({ role: z.literal('system'), content: text(256 * 1024), name: z.string().max(200).optional() }),
  ])
  .meta({ id: 'PlaygroundMessage' })

export const PlaygroundBody = defineObject('PlaygroundBody', {
  workspaceId: bodyWorkspace(),
  agent_version: integer(1)
    .nullable()
    .optional()
    .describe('Version of the agent. Defaults to the latest version. Drafts remain editable.'),
  messages: z
    .array(HistoryMessage)
    .max(500)
    .default([])
    .describe('Conversation so far, oldest first. If the last message is from the user, the agent responds to it.'),
  dynamic_variables: Variables.optional().describe('Values of `{{variables}}`.'),
  tool_mocks: z.array(ToolMockInput).max(MAX_TOOL_MOCKS).optional().describe('Mock results of tools.'),
  current_node_id: FlowPartId.optional().describe('ID of the node in which the turn starts (flows only).'),
  component_path: z
    .array(FlowPartId)
    .max(20)
    .optional()
    .describe('IDs of the enclosing component nodes, outermost first (only for nodes in components).'),
  current_state: z
    .string()
    .max(100)
    .optional()
    .describe('Name of the current state (only for LLM configurations with states).'),
  state: PlaygroundState.nullable()
    .optional()
    .describe('State from the previous response, to continue the conversation.'),
})
export type PlaygroundBody = z.output<typeof PlaygroundBody>

export const PlaygroundAnswer = defineObject('PlaygroundAnswer', {
  messages: z
    .array(
      z.object({
        role: z.enum(['assistant', 'tool', 'system']),
        content: z.string(),
        name: z.string(),
        tool_calls: z.array(MessageToolCall),
        tool_call_id: z.string().nullable(),
        incomplete: z.boolean(),
      }),
    )
    .describe('Messages of the turn, including transitions.'),
  current_node_id: z.string().nullable().describe('ID of the current node (flows only).'),
  component_path: z.array(z.string()),
  current_state: z.string().nullable(),
  dynamic_variables: StringMap.describe('Variables that the conversation has collected.'),
  call_ended: z.boolean().describe('Whether the agent ended the conversation.'),
  knowledge_base_retrieved_contents: z.array(z.string()),
  decisions: z.array(Decision),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Error that ended the turn, or null if there is none.'),
  state: PlaygroundState.describe('State to pass back with the next message.'),
})
export type PlaygroundAnswer = z.output<typeof PlaygroundAnswer>

export const runPlayground = defineOperation({
  name: 'runPlayground',
  route: 'POST /api/playground/agents/{agentId}/completions',
  tag: 'Playground',
  summary: 'Test a turn of an agent',
  description:
    'Runs one turn from the specified node or state with the specified variables. Tools run unless they are mocked. ' +
    'Nothing is stored, no version is frozen and no message is sent.',
  access: 'write',
  pathParameters: z.object({ agentId: id().describe('ID of an agent or chat agent.') }),
  body: PlaygroundBody,
  bodyLimitBytes: 4 * 1024 * 1024,
  result: PlaygroundAnswer,
  errors: ['model_not_configured'],
})
