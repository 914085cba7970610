import { z } from 'zod'
import { MessageToolCall } from './chat-message.ts'
import { Decision } from './chat-turn.ts'
import { PlaygroundState } from './dialogue-state.ts'
import { bodyWorkspace, id, integer, MESSAGE_LIMIT_BYTES, StringMap, text, Variables } from './fields.ts'
import { FlowPartId } from './flow-edge.ts'
import { defineOperation } from './operation.ts'
import { MAX_TOOL_MOCKS, ToolMockInput } from './tool-mock.ts'

/** Trying an agent out: one turn from wherever one likes. Nothing is stored. */

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
      description: 'The newest version when absent or null, which may be a draft: nothing is frozen.',
    }),
    messages: z.array(HistoryMessage).max(500).default([]).meta({
      description: 'The conversation so far, oldest first. The last one is answered when it is the user’s.',
    }),
    dynamic_variables: Variables.optional().meta({ description: 'Values of `{{variables}}`.' }),
    tool_mocks: z
      .array(ToolMockInput)
      .max(MAX_TOOL_MOCKS)
      .optional()
      .meta({ description: 'Answers in the place of tools.' }),
    current_node_id: FlowPartId.optional().meta({ description: 'For flows: the node to begin at.' }),
    component_path: z.array(FlowPartId).max(20).optional().meta({
      description: 'For a node within components: the component nodes that lead there, outermost first.',
    }),
    current_state: z.string().max(100).optional().meta({ description: 'For LLM configurations with states.' }),
    state: PlaygroundState.nullable().optional().meta({ description: 'Of the answer before, to go on from it.' }),
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
      .meta({ description: 'What the turn added, records of transitions included.' }),
    current_node_id: z.string().nullable().meta({ description: 'For flows: where the conversation stands now.' }),
    component_path: z.array(z.string()),
    current_state: z.string().nullable(),
    dynamic_variables: StringMap.meta({ description: 'What was collected.' }),
    call_ended: z.boolean().meta({ description: 'The agent ended the conversation.' }),
    knowledge_base_retrieved_contents: z.array(z.string()),
    decisions: z.array(Decision),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .meta({ description: 'Why the turn broke off; null when it did not.' }),
    state: PlaygroundState.meta({ description: 'Hand it back with the next message to go on.' }),
  })
  .meta({ id: 'PlaygroundAnswer' })
export type PlaygroundAnswer = z.output<typeof PlaygroundAnswer>

export const runPlayground = defineOperation({
  name: 'runPlayground',
  method: 'POST',
  path: '/api/playground/agents/{agentId}/completions',
  tag: 'Playground',
  summary: 'Try one turn of an agent',
  description:
    'Runs one turn from a given node or state with given variables. Tools really run unless a mock answers for them. ' +
    'Nothing is stored, no version is frozen, no message is sent.',
  access: 'write',
  workspace: 'body',
  pathParameters: z.object({ agentId: id().meta({ description: 'An agent or chat agent.' }) }),
  body: PlaygroundBody,
  bodyLimitBytes: 4 * 1024 * 1024,
  status: 200,
  result: PlaygroundAnswer,
  errors: ['not_found', 'model_not_configured'],
})
