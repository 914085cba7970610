import { z } from 'zod'
import { MessageToolCall } from './chat-message.ts'
import { Decision } from './chat-turn.ts'
import { PlaygroundState } from './dialogue-state.ts'
import { bodyWorkspace, id, integer, MESSAGE_LIMIT_BYTES, StringMap, text, Variables } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
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

export const PlaygroundBody = z
  .object({
    workspaceId: bodyWorkspace(),
    agent_version: integer(1).nullable().optional().meta({
      description: 'Version of the agent. Defaults to the latest, which can be a draft and stays editable.',
    }),
    messages: z.array(HistoryMessage).max(500).default([]).meta({
      description: 'Conversation so far, oldest first. If the last message is from the user, the agent responds to it.',
    }),
    dynamic_variables: Variables.optional().meta({ description: 'Values of `{{variables}}`.' }),
    tool_mocks: z.array(ToolMockInput).max(MAX_TOOL_MOCKS).optional().meta({ description: 'Mock results of tools.' }),
    current_node_id: FlowPartId.optional().meta({ description: 'For flows: ID of the first node.' }),
    component_path: z.array(FlowPartId).max(20).optional().meta({
      description: 'For nodes in components: IDs of the enclosing component nodes, outermost first.',
    }),
    current_state: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'For LLM configurations with states: name of the current state.' }),
    state: PlaygroundState.nullable()
      .optional()
      .meta({ description: 'State of the previous response, to continue from it.' }),
  })
  .meta({ id: 'PlaygroundBody' })
export type PlaygroundBody = z.output<typeof PlaygroundBody>

export const PlaygroundAnswer = z
  .object({
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
      .meta({ description: 'Messages of the turn, including transitions.' }),
    current_node_id: z.string().nullable().meta({ description: 'For flows: ID of the current node.' }),
    component_path: z.array(z.string()),
    current_state: z.string().nullable(),
    dynamic_variables: StringMap.meta({ description: 'Variables collected so far.' }),
    call_ended: z.boolean().meta({ description: 'Whether the agent ended the conversation.' }),
    knowledge_base_retrieved_contents: z.array(z.string()),
    decisions: z.array(Decision),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .meta({ description: 'Error that ended the turn; null otherwise.' }),
    state: PlaygroundState.meta({ description: 'State to pass back with the next message.' }),
  })
  .meta({ id: 'PlaygroundAnswer' })
export type PlaygroundAnswer = z.output<typeof PlaygroundAnswer>

export const runPlayground = defineOperation({
  name: 'runPlayground',
  method: 'POST',
  path: '/api/playground/agents/{agentId}/completions',
  tag: 'Playground',
  summary: 'Test a turn of an agent',
  description:
    'Runs one turn from the given node or state with the given variables. Tools run unless they are mocked. ' +
    'Nothing is stored, no version is frozen and no message is sent.',
  access: 'write',
  pathParameters: z.object({ agentId: id().meta({ description: 'ID of an agent or chat agent.' }) }),
  body: PlaygroundBody,
  bodyLimitBytes: 4 * 1024 * 1024,
  result: PlaygroundAnswer,
  errors: ['model_not_configured'],
})
