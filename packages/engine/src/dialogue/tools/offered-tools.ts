import type { Tool } from '@parley/contract/tools'
import type { JsonObject, ModelTool } from '../../ports.ts'
import { parseJsonObject } from '../json.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { extractionSchema } from './extraction.ts'

/** Moves to another state of an `llm` engine. */
export interface StateTransitionTool {
  readonly type: 'state_transition'
  readonly name: string
  readonly description: string
  readonly destination: string
  readonly parameters?: JsonObject | undefined
}

/** A tool for models. */
export type OfferedTool = Tool | StateTransitionTool

/** Argument that holds the model's execution message. */
export const EXECUTION_MESSAGE_FIELD = 'execution_message'

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/** Cached by tool object, since engines are immutable and validators are cached by schema. */
const ownSchemas = new WeakMap<OfferedTool, JsonObject>()
const acceptedSchemas = new WeakMap<OfferedTool, JsonObject>()
const modelSchemas = new WeakMap<OfferedTool, JsonObject>()

/** Drops calendar tools, which can be stored but not run. */
export function offeredTools(tools: readonly OfferedTool[]): readonly OfferedTool[] {
  return tools.filter(({ type }) => type !== 'check_availability_cal' && type !== 'book_appointment_cal')
}

/** The JSON Schema of a tool's arguments, the same object each time. */
export function toolParameters(tool: OfferedTool): JsonObject {
  return getOrCreate(ownSchemas, tool, parametersOf)
}

/** The schema that validates calls; extractions also accept `null`, which clears a variable. */
export function acceptedParameters(tool: OfferedTool): JsonObject {
  const own = toolParameters(tool)
  return tool.type === 'extract_dynamic_variable' ? getOrCreate(acceptedSchemas, tool, () => makeNullable(own)) : own
}

function makeNullable(schema: JsonObject): JsonObject {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonObject>>)
  const nullable = properties.map(([name, property]) => [name, { anyOf: [property, { type: 'null' }] }])
  return { ...schema, properties: Object.fromEntries(nullable) as JsonObject }
}

function parametersOf(tool: OfferedTool): JsonObject {
  switch (tool.type) {
    // The contract only allows plain JSON schemas.
    case 'custom':
    case 'state_transition':
      return asObjectSchema(tool.parameters as JsonObject | undefined)
    case 'mcp':
      return asObjectSchema(tool.input_schema as JsonObject | undefined)
    case 'extract_dynamic_variable':
      return extractionSchema(tool.variables)
    case 'press_digit':
      return singleTextSchema('digits', 'The keys to press: digits, "*" and "#".')
    case 'transfer_call':
      return tool.transfer_destination.type === 'inferred'
        ? singleTextSchema('destination', tool.transfer_destination.prompt)
        : NO_PARAMETERS
    case 'send_sms':
      return tool.sms_content.type === 'inferred' ? singleTextSchema('text', tool.sms_content.prompt) : NO_PARAMETERS
    default:
      return NO_PARAMETERS
  }
}

function asObjectSchema(schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return NO_PARAMETERS
  return schema.type === 'object' ? schema : { ...schema, type: 'object' }
}

function singleTextSchema(name: string, description: string): JsonObject {
  return { type: 'object', properties: { [name]: { type: 'string', description } }, required: [name] }
}

/** The schema for the model: the arguments, and the execution message if the model writes it. */
function modelSchema(tool: OfferedTool): JsonObject {
  const own = toolParameters(tool)
  if (!isMessageModelWritten(tool)) return own
  const hint = ('execution_message_description' in tool && tool.execution_message_description) || ''
  const description = `What to tell the user before this runs, one short sentence.${hint === '' ? '' : ` ${hint}`}`
  const properties = {
    ...(own.properties as JsonObject | undefined),
    [EXECUTION_MESSAGE_FIELD]: { type: 'string', description },
  }
  return { ...own, properties }
}

/** Converts a tool for the model, with variables in its description rendered. */
export function toModelTool(tool: OfferedTool, lookup: VariableLookup): ModelTool {
  const description = tool.description ?? DEFAULT_DESCRIPTION[tool.type] ?? ''
  return {
    name: tool.name,
    description: renderTemplate(description, lookup),
    parameters: getOrCreate(modelSchemas, tool, modelSchema),
  }
}

const DEFAULT_DESCRIPTION: Readonly<Partial<Record<OfferedTool['type'], string>>> = {
  end_call: 'Ends the conversation.',
  agent_swap: 'Hands the conversation to another agent.',
  transfer_call: 'Transfers the call to a person.',
  press_digit: 'Sends keypad tones.',
  send_sms: 'Sends a text message to the user.',
  extract_dynamic_variable:
    'Stores facts from the user. Call it as soon as the user gives one of these values; null clears one.',
  bridge_transfer: 'Connects both parties.',
  cancel_transfer: 'Cancels the transfer.',
}

/** Whether the model writes the tool's execution message. */
function isMessageModelWritten(tool: OfferedTool): boolean {
  if (tool.type === 'state_transition' || tool.type === 'end_call') return false
  return tool.speak_during_execution === true && tool.execution_message_type !== 'static_text'
}

/** The execution message of a call: the rendered static text, or the model's own. `null` without one. */
export function executionMessage(tool: OfferedTool, argumentsText: string, lookup: VariableLookup): string | null {
  if (tool.type === 'state_transition') return null
  if (isMessageModelWritten(tool)) return modelWrittenMessage(argumentsText)
  const wanted = tool.type === 'end_call' ? tool.speak_during_execution !== false : tool.speak_during_execution === true
  if (!wanted || tool.execution_message_type !== 'static_text') return null
  return nonBlank(renderTemplate(tool.execution_message_description ?? '', lookup))
}

function modelWrittenMessage(argumentsText: string): string | null {
  const message = parseJsonObject(argumentsText)?.[EXECUTION_MESSAGE_FIELD]
  return typeof message === 'string' ? nonBlank(message) : null
}

/** Removes the execution message from the arguments of a call. */
export function withoutExecutionMessage(argumentsText: string): string {
  const parsed = argumentsText.includes(EXECUTION_MESSAGE_FIELD) ? parseJsonObject(argumentsText) : null
  if (parsed === null) return argumentsText
  const { [EXECUTION_MESSAGE_FIELD]: _message, ...args } = parsed
  return JSON.stringify(args)
}

function nonBlank(message: string): string | null {
  return message.trim() === '' ? null : message
}

function getOrCreate(
  cache: WeakMap<OfferedTool, JsonObject>,
  tool: OfferedTool,
  make: (tool: OfferedTool) => JsonObject,
): JsonObject {
  const cached = cache.get(tool)
  if (cached !== undefined) return cached
  const made = make(tool)
  cache.set(tool, made)
  return made
}
