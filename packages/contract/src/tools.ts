import { z } from 'zod'
import { freeObject, id, integer, text } from './fields.ts'
import { defineDescribedObject } from './named-object.ts'
import { commonToolFields, HeaderMap, ResponseVariables, sentence, speakAfterExecution } from './tool-fields.ts'
import { ToolUrl } from './tool-url.ts'
import { TransferCallTool } from './transfer-tool.ts'
import { DESPITE_OTHER_ISSUES, rejectDuplicates } from './unique-items.ts'

export { TransferCallTool } from './transfer-tool.ts'

/** Tools of agents. Limits and enum values match those of similar platforms. */

export const EndCallTool = defineDescribedObject('EndCallTool', 'Ends the call or chat.', {
  type: z.literal('end_call'),
  ...commonToolFields,
})
export type EndCallTool = z.infer<typeof EndCallTool>

export const AgentSwapTool = defineDescribedObject('AgentSwapTool', 'Swaps to another agent.', {
  type: z.literal('agent_swap'),
  ...commonToolFields,
  agent_id: id().describe('ID of the agent that takes over.'),
  agent_version: integer(1).optional().describe('Version of the agent. Defaults to the active version.'),
  post_call_analysis_setting: z
    .enum(['both_agents', 'only_destination_agent'])
    .optional()
    .describe('Agents whose analysis runs after the conversation.'),
  webhook_setting: z
    .enum(['both_agents', 'only_destination_agent', 'only_source_agent'])
    .optional()
    .describe('Agents whose webhooks receive the events.'),
  keep_current_voice: z.boolean().optional().describe('Whether to keep the voice of the previous agent.'),
  keep_current_language: z.boolean().optional().describe('Whether to keep the language of the previous agent.'),
})
export type AgentSwapTool = z.infer<typeof AgentSwapTool>

export const PressDigitTool = defineDescribedObject(
  'PressDigitTool',
  'Sends DTMF digits, for example to a phone menu.',
  {
    type: z.literal('press_digit'),
    ...commonToolFields,
    delay_ms: integer(0, 5_000).optional().describe('Milliseconds to wait before the keys are sent.'),
  },
)
export type PressDigitTool = z.infer<typeof PressDigitTool>

export const SendSmsTool = defineDescribedObject('SendSmsTool', 'Sends a text message to the other party.', {
  type: z.literal('send_sms'),
  ...commonToolFields,
  sms_content: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('predefined'), text: sentence().min(1) }),
      z.object({ type: z.literal('inferred'), prompt: sentence().min(1) }),
      z.object({ type: z.literal('template'), template: z.literal('info_collection') }),
    ])
    .describe('Content of the message: fixed text, a prompt for the model, or a template.'),
})
export type SendSmsTool = z.infer<typeof SendSmsTool>

const ToolParameters = freeObject(256 * 1024)
  .refine((schema) => schema.type === undefined || schema.type === 'object', {
    error: 'must be of type "object"',
    path: ['type'],
  })
  .describe('JSON Schema of the arguments, with type `object`.')

export const CustomTool = defineDescribedObject('CustomTool', 'Calls your own HTTP endpoint.', {
  type: z.literal('custom'),
  ...commonToolFields,
  url: ToolUrl.describe('Absolute http(s) URL; can contain `{{variables}}`.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().describe('HTTP method. Defaults to `POST`.'),
  headers: HeaderMap.optional().describe('Request headers; values can contain `{{variables}}`.'),
  query_params: z
    .record(z.string().min(1).max(200), text(8 * 1024))
    .optional()
    .describe('Query parameters to add to the URL; values can contain `{{variables}}`.'),
  parameters: ToolParameters.optional(),
  parameter_type: z
    .enum(['json', 'form'])
    .optional()
    .describe('How an editor displays `parameters`. In both cases, the body is sent as JSON.'),
  args_at_root: z
    .boolean()
    .optional()
    .describe(
      'Whether to send only the arguments instead of an object with name, conversation and arguments. Defaults ' +
        'to false.',
    ),
  response_variables: ResponseVariables.optional(),
  speak_after_execution: speakAfterExecution,
  timeout_ms: integer(1_000, 600_000).optional().describe('Timeout in milliseconds. Defaults to 120000.'),
  max_retry: integer(0, 5).optional().describe('Maximum number of retries of a failed call. Defaults to 0.'),
})
export type CustomTool = z.infer<typeof CustomTool>

export const CodeTool = defineDescribedObject('CodeTool', 'Runs JavaScript in a sandbox.', {
  type: z.literal('code'),
  ...commonToolFields,
  code: z.string().min(1).max(5_000).describe('JavaScript code.'),
  response_variables: ResponseVariables.optional(),
  timeout_ms: integer(5_000, 60_000).optional().describe('Timeout in milliseconds. Defaults to 30000.'),
  speak_after_execution: speakAfterExecution,
})
export type CodeTool = z.infer<typeof CodeTool>

const extractedFields = {
  name: z.string().min(1).max(200).describe('Name of the variable, unique within the list.'),
  description: sentence().describe('Instruction that tells the model what to extract.'),
  required: z.boolean().optional().describe('Whether the value is required.'),
  conditional_prompt: sentence().optional().describe('Instruction that tells the model when to extract the value.'),
}

/** A value to extract from a conversation. */
export const ExtractedVariable = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('string'),
      ...extractedFields,
      examples: z.array(sentence()).max(100).optional().describe('Example values.'),
    }),
    z.object({
      type: z.literal('enum'),
      ...extractedFields,
      choices: z.array(sentence().min(1)).min(1).max(200).describe('Possible values.'),
    }),
    z.object({ type: z.literal('boolean'), ...extractedFields }),
    z.object({ type: z.literal('number'), ...extractedFields }),
  ])
  .meta({ id: 'ExtractedVariable' })
export type ExtractedVariable = z.infer<typeof ExtractedVariable>

export const ExtractDynamicVariableTool = defineDescribedObject(
  'ExtractDynamicVariableTool',
  'Extracts values from the conversation into dynamic variables.',
  {
    type: z.literal('extract_dynamic_variable'),
    ...commonToolFields,
    variables: z
      .array(ExtractedVariable)
      .min(1)
      .max(100)
      .superRefine(rejectDuplicates('name'), DESPITE_OTHER_ISSUES)
      .describe('Variables to extract.'),
  },
)
export type ExtractDynamicVariableTool = z.infer<typeof ExtractDynamicVariableTool>

export const BridgeTransferTool = defineDescribedObject(
  'BridgeTransferTool',
  'Connects both parties. Only for transfer agents.',
  {
    type: z.literal('bridge_transfer'),
    ...commonToolFields,
  },
)
export type BridgeTransferTool = z.infer<typeof BridgeTransferTool>

export const CancelTransferTool = defineDescribedObject(
  'CancelTransferTool',
  'Returns the caller to the first agent. Only for transfer agents.',
  { type: z.literal('cancel_transfer'), ...commonToolFields },
)
export type CancelTransferTool = z.infer<typeof CancelTransferTool>

export const McpTool = defineDescribedObject('McpTool', 'Calls a tool of an MCP server.', {
  type: z.literal('mcp'),
  ...commonToolFields,
  mcp_id: id().describe('MCP server, by `mcp_id` or name.'),
  input_schema: freeObject(256 * 1024)
    .optional()
    .describe('JSON Schema of the arguments.'),
  response_variables: ResponseVariables.optional(),
  speak_after_execution: speakAfterExecution,
})
export type McpTool = z.infer<typeof McpTool>

const calendarFields = {
  ...commonToolFields,
  cal_api_key: z.string().min(1).max(500).describe('Cal.com API key.'),
  event_type_id: integer(0).describe('ID of the Cal.com event type.'),
  timezone: z.string().min(1).max(100).optional().describe('Time zone of the appointments.'),
}

export const CheckAvailabilityCalTool = defineDescribedObject(
  'CheckAvailabilityCalTool',
  'Returns available times from Cal.com.',
  { type: z.literal('check_availability_cal'), ...calendarFields },
)
export type CheckAvailabilityCalTool = z.infer<typeof CheckAvailabilityCalTool>

export const BookAppointmentCalTool = defineDescribedObject(
  'BookAppointmentCalTool',
  'Books an appointment with Cal.com.',
  {
    type: z.literal('book_appointment_cal'),
    ...calendarFields,
  },
)
export type BookAppointmentCalTool = z.infer<typeof BookAppointmentCalTool>

/** A tool of any type, discriminated by `type`. Parsing a parsed tool again returns an equal tool. */
export const Tool = z
  .discriminatedUnion('type', [
    EndCallTool,
    TransferCallTool,
    AgentSwapTool,
    PressDigitTool,
    SendSmsTool,
    CustomTool,
    CodeTool,
    ExtractDynamicVariableTool,
    BridgeTransferTool,
    CancelTransferTool,
    McpTool,
    CheckAvailabilityCalTool,
    BookAppointmentCalTool,
  ])
  .meta({ id: 'Tool' })
export type Tool = z.infer<typeof Tool>

/** Tools of one engine: at most 100 with unique names. */
export const ToolList = z.array(Tool).max(100).superRefine(rejectDuplicates('name'), DESPITE_OTHER_ISSUES)
export type ToolList = z.infer<typeof ToolList>
