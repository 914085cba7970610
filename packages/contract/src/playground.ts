import { z } from 'zod'
import { MessageToolCall } from './chat-message.ts'
import { Decision } from './chat-turn.ts'
import { PlaygroundState } from './dialogue-state.ts'
import { bodyWorkspace, id, integer, MESSAGE_LIMIT_BYTES, StringMap, text, Variables } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { namedObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { MAX_TOOL_MOCKS, ToolMockInput } from './tool-mock.ts'

/** Tests one turn of an agent from any point. Nothing is stored. */

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

export const PlaygroundBody = namedObject('PlaygroundBody', {
  workspaceId: bodyWorkspace(),
  agent_version: integer(1)
    .nullable()
    .optional()
    .describe('Version of the agent. Defaults to the latest, which can be a draft and stays editable.'),
  messages: z
    .array(HistoryMessage)
    .max(500)
    .default([])
    .describe('Conversation so far, oldest first. If the last message is from the user, the agent responds to it.'),
  dynamic_variables: Variables.optional().describe('Values of `{{variables}}`.'),
  tool_mocks: z.array(ToolMockInput).max(MAX_TOOL_MOCKS).optional().describe('Mock results of tools.'),
  current_node_id: FlowPartId.optional().describe('For flows: ID of the first node.'),
  component_path: z
    .array(FlowPartId)
    .max(20)
    .optional()
    .describe('For nodes in components: IDs of the enclosing component nodes, outermost first.'),
  current_state: z
    .string()
    .max(100)
    .optional()
    .describe('For LLM configurations with states: name of the current state.'),
  state: PlaygroundState.nullable().optional().describe('State of the previous response, to continue from it.'),
})
export type PlaygroundBody = z.output<typeof PlaygroundBody>

export const PlaygroundAnswer = namedObject('PlaygroundAnswer', {
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
  current_node_id: z.string().nullable().describe('For flows: ID of the current node.'),
  component_path: z.array(z.string()),
  current_state: z.string().nullable(),
  dynamic_variables: StringMap.describe('Variables collected so far.'),
  call_ended: z.boolean().describe('Whether the agent ended the conversation.'),
  knowledge_base_retrieved_contents: z.array(z.string()),
  decisions: z.array(Decision),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Error that ended the turn; null otherwise.'),
  state: PlaygroundState.describe('State to pass back with the next message.'),
})
export type PlaygroundAnswer = z.output<typeof PlaygroundAnswer>

export const runPlayground = defineOperation({
  name: 'runPlayground',
  route: 'POST /api/playground/agents/{agentId}/completions',
  tag: 'Playground',
  summary: 'Test a turn of an agent',
  description:
    'Runs one turn from the given node or state with the given variables. Tools run unless they are mocked. ' +
    'Nothing is stored, no version is frozen and no message is sent.',
  access: 'write',
  pathParameters: z.object({ agentId: id().describe('ID of an agent or chat agent.') }),
  body: PlaygroundBody,
  bodyLimitBytes: 4 * 1024 * 1024,
  result: PlaygroundAnswer,
  errors: ['model_not_configured'],
})
