import { z } from 'zod'
import { freeObject, id, integer, text } from './fields.ts'
import { commonToolFields, HeaderMap, ResponseVariables, sentence, speakAfterExecution } from './tool-fields.ts'
import { ToolUrl } from './tool-url.ts'
import { TransferCallTool } from './transfer-tool.ts'

export { TransferCallTool } from './transfer-tool.ts'

/** The tools of an agent. Numbers and enums follow what callers of such platforms already send. */

export const EndCallTool = z
  .object({ type: z.literal('end_call'), ...commonToolFields })
  .meta({ id: 'EndCallTool', description: 'Ends the call or chat.' })
export type EndCallTool = z.infer<typeof EndCallTool>

export const AgentSwapTool = z
  .object({
    type: z.literal('agent_swap'),
    ...commonToolFields,
    agent_id: id().meta({ description: 'The agent to hand over to.' }),
    agent_version: integer(1).optional().meta({ description: 'Its active version when absent.' }),
    post_call_analysis_setting: z
      .enum(['both_agents', 'only_destination_agent'])
      .optional()
      .meta({ description: 'Whose analysis is made afterwards.' }),
    webhook_setting: z
      .enum(['both_agents', 'only_destination_agent', 'only_source_agent'])
      .optional()
      .meta({ description: 'Whose webhooks are told.' }),
    keep_current_voice: z.boolean().optional().meta({ description: 'Go on with the voice of the agent before.' }),
    keep_current_language: z.boolean().optional().meta({ description: 'Go on with the language of the agent before.' }),
  })
  .meta({ id: 'AgentSwapTool', description: 'Hands the conversation to another agent.' })
export type AgentSwapTool = z.infer<typeof AgentSwapTool>

export const PressDigitTool = z
  .object({
    type: z.literal('press_digit'),
    ...commonToolFields,
    delay_ms: integer(0, 5_000).optional().meta({ description: 'How long to wait before the keys, in milliseconds.' }),
  })
  .meta({ id: 'PressDigitTool', description: 'Sends DTMF digits, for example to a phone menu.' })
export type PressDigitTool = z.infer<typeof PressDigitTool>

export const SendSmsTool = z
  .object({
    type: z.literal('send_sms'),
    ...commonToolFields,
    sms_content: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('predefined'), text: sentence().min(1) }),
        z.object({ type: z.literal('inferred'), prompt: sentence().min(1) }),
        z.object({ type: z.literal('template'), template: z.literal('info_collection') }),
      ])
      .meta({
        description: 'The text itself, a prompt for the model to write it by, or a text that is there already.',
      }),
  })
  .meta({ id: 'SendSmsTool', description: 'Sends a text message to the other party.' })
export type SendSmsTool = z.infer<typeof SendSmsTool>

const ToolParameters = freeObject(256 * 1024)
  .refine((schema) => schema.type === undefined || schema.type === 'object', {
    error: 'must be of type "object"',
    path: ['type'],
  })
  .meta({ description: 'JSON Schema of type object that describes the arguments.' })

export const CustomTool = z
  .object({
    type: z.literal('custom'),
    ...commonToolFields,
    url: ToolUrl.meta({ description: 'Absolute http(s) address; may contain `{{variables}}`.' }),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional().meta({ description: '`POST` when absent.' }),
    headers: HeaderMap.optional().meta({ description: 'Headers of the request; values may hold `{{variables}}`.' }),
    query_params: z
      .record(z.string().min(1).max(200), text(8 * 1024))
      .optional()
      .meta({ description: 'Parameters added to the address; values may hold `{{variables}}`.' }),
    parameters: ToolParameters.optional(),
    parameter_type: z
      .enum(['json', 'form'])
      .optional()
      .meta({ description: 'How an editor shows `parameters`; a body is sent as JSON either way.' }),
    args_at_root: z.boolean().optional().meta({
      description: 'Send the bare arguments instead of an object with name, conversation and arguments.',
    }),
    response_variables: ResponseVariables.optional(),
    speak_after_execution: speakAfterExecution,
    timeout_ms: integer(1_000, 600_000).optional().meta({ description: 'Milliseconds; 120000 when absent.' }),
    max_retry: integer(0, 5).optional().meta({ description: 'How often a failed call is repeated; 0 when absent.' }),
  })
  .meta({ id: 'CustomTool', description: 'Calls your own HTTP endpoint.' })
export type CustomTool = z.infer<typeof CustomTool>

export const CodeTool = z
  .object({
    type: z.literal('code'),
    ...commonToolFields,
    code: z.string().min(1).max(5_000).meta({ description: 'JavaScript.' }),
    response_variables: ResponseVariables.optional(),
    timeout_ms: integer(5_000, 60_000).optional().meta({ description: 'Milliseconds; 30000 when absent.' }),
    speak_after_execution: speakAfterExecution,
  })
  .meta({ id: 'CodeTool', description: 'Runs JavaScript in a sandbox.' })
export type CodeTool = z.infer<typeof CodeTool>

const extractedFields = {
  name: z.string().min(1).max(200).meta({ description: 'Name of the variable; unique within the list.' }),
  description: sentence().meta({ description: 'Tells the model what to look for.' }),
  required: z.boolean().optional().meta({ description: 'Whether the value must be found.' }),
  conditional_prompt: sentence().optional().meta({ description: 'When to look for it, in words.' }),
}

/** A value to find in a conversation. */
export const ExtractedVariable = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('string'),
      ...extractedFields,
      examples: z.array(sentence()).max(100).optional().meta({ description: 'Values as they could be.' }),
    }),
    z.object({
      type: z.literal('enum'),
      ...extractedFields,
      choices: z.array(sentence().min(1)).min(1).max(200).meta({ description: 'The values to choose from.' }),
    }),
    z.object({ type: z.literal('boolean'), ...extractedFields }),
    z.object({ type: z.literal('number'), ...extractedFields }),
  ])
  .meta({ id: 'ExtractedVariable' })
export type ExtractedVariable = z.infer<typeof ExtractedVariable>

/** Refuses a second element of the same name, with the path of that second one. */
export function rejectDuplicateNames(items: readonly unknown[], context: z.core.$RefinementCtx): void {
  const seen = new Set<string>()
  items.forEach((item, index) => {
    const name = typeof item === 'object' && item !== null ? (item as { name?: unknown }).name : undefined
    if (typeof name !== 'string') return
    if (seen.has(name)) {
      context.addIssue({ code: 'custom', path: [index, 'name'], message: `must be unique: "${name}" is already used` })
    }
    seen.add(name)
  })
}

/** Also run when other elements are wrong, so that all problems are told at once. */
const runDespiteOtherIssues = { when: ({ value }: { value: unknown }) => Array.isArray(value) }

export const ExtractDynamicVariableTool = z
  .object({
    type: z.literal('extract_dynamic_variable'),
    ...commonToolFields,
    variables: z
      .array(ExtractedVariable)
      .min(1)
      .max(100)
      .superRefine(rejectDuplicateNames, runDespiteOtherIssues)
      .meta({ description: 'What to find and store.' }),
  })
  .meta({ id: 'ExtractDynamicVariableTool', description: 'Stores what was said as dynamic variables.' })
export type ExtractDynamicVariableTool = z.infer<typeof ExtractDynamicVariableTool>

export const BridgeTransferTool = z
  .object({ type: z.literal('bridge_transfer'), ...commonToolFields })
  .meta({ id: 'BridgeTransferTool', description: 'For transfer agents: connects both parties.' })
export type BridgeTransferTool = z.infer<typeof BridgeTransferTool>

export const CancelTransferTool = z
  .object({ type: z.literal('cancel_transfer'), ...commonToolFields })
  .meta({ id: 'CancelTransferTool', description: 'For transfer agents: gives the caller back to the first agent.' })
export type CancelTransferTool = z.infer<typeof CancelTransferTool>

export const McpTool = z
  .object({
    type: z.literal('mcp'),
    ...commonToolFields,
    mcp_id: id().meta({ description: 'The MCP server.' }),
    input_schema: freeObject(256 * 1024)
      .optional()
      .meta({ description: 'JSON Schema of the arguments.' }),
    response_variables: ResponseVariables.optional(),
    speak_after_execution: speakAfterExecution,
  })
  .meta({ id: 'McpTool', description: 'Calls a tool of an MCP server.' })
export type McpTool = z.infer<typeof McpTool>

const calendarFields = {
  ...commonToolFields,
  cal_api_key: z.string().min(1).max(500).meta({ description: 'Key to Cal.com.' }),
  event_type_id: integer(0).meta({ description: 'Id of the kind of event at Cal.com.' }),
  timezone: z.string().min(1).max(100).optional().meta({ description: 'Time zone of the times.' }),
}

export const CheckAvailabilityCalTool = z
  .object({ type: z.literal('check_availability_cal'), ...calendarFields })
  .meta({ id: 'CheckAvailabilityCalTool', description: 'Asks Cal.com for free times.' })
export type CheckAvailabilityCalTool = z.infer<typeof CheckAvailabilityCalTool>

export const BookAppointmentCalTool = z
  .object({ type: z.literal('book_appointment_cal'), ...calendarFields })
  .meta({ id: 'BookAppointmentCalTool', description: 'Books an appointment at Cal.com.' })
export type BookAppointmentCalTool = z.infer<typeof BookAppointmentCalTool>

/** Any tool, told apart by `type`. A value that passed once passes unchanged again. */
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

/** The tools of one engine: at most 100, each name once. */
export const ToolList = z.array(Tool).max(100).superRefine(rejectDuplicateNames, runDespiteOtherIssues)
export type ToolList = z.infer<typeof ToolList>
