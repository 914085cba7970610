import type { Tool } from '@parley/contract/tools'
import type { JsonObject, ModelTool } from '../../ports.ts'
import { parseJsonObject } from '../json.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import { buildExtractionSchema } from './extraction.ts'

/** A tool that moves the conversation to another state of an `llm` engine. */
export interface StateTransitionTool {
  readonly type: 'state_transition'
  readonly name: string
  readonly description: string
  readonly destination: string
  readonly parameters?: JsonObject | undefined
}

/** A tool that is offered to models. */
export type OfferedTool = Tool | StateTransitionTool

/** Argument that contains the model's execution message. */
export const EXECUTION_MESSAGE_FIELD = 'execution_message'

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/** Cached by tool object, because engines are immutable and validators are cached by schema. */
const argumentSchemas = new WeakMap<OfferedTool, JsonObject>()
const acceptedSchemas = new WeakMap<OfferedTool, JsonObject>()
const modelSchemas = new WeakMap<OfferedTool, JsonObject>()

/** Returns the tools without calendar tools, which can be stored but not run. */
export function filterOfferedTools(tools: readonly OfferedTool[]): readonly OfferedTool[] {
  return tools.filter(({ type }) => type !== 'check_availability_cal' && type !== 'book_appointment_cal')
}

/** Returns the JSON Schema of a tool's arguments, the same object each time. */
export function getToolParameters(tool: OfferedTool): JsonObject {
  return getOrCreate(argumentSchemas, tool, buildParameters)
}

/** Returns the schema that validates calls. Extractions also accept `null`, which clears a variable. */
export function getAcceptedParameters(tool: OfferedTool): JsonObject {
  const parameters = getToolParameters(tool)
  return tool.type === 'extract_dynamic_variable'
    ? getOrCreate(acceptedSchemas, tool, () => makeNullable(parameters))
    : parameters
}

function makeNullable(schema: JsonObject): JsonObject {
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonObject>>)
  const nullableProperties = properties.map(([name, property]) => [name, { anyOf: [property, { type: 'null' }] }])
  return { ...schema, properties: Object.fromEntries(nullableProperties) as JsonObject }
}

function buildParameters(tool: OfferedTool): JsonObject {
  switch (tool.type) {
    // The contract allows only plain JSON schemas.
    case 'custom':
    case 'state_transition':
      return toObjectSchema(tool.parameters as JsonObject | undefined)
    case 'mcp':
      return toObjectSchema(tool.input_schema as JsonObject | undefined)
    case 'extract_dynamic_variable':
      return buildExtractionSchema(tool.variables)
    case 'press_digit':
      return buildSingleTextSchema('digits', 'The keys to press: digits, "*" and "#".')
    case 'transfer_call':
      return tool.transfer_destination.type === 'inferred'
        ? buildSingleTextSchema('destination', tool.transfer_destination.prompt)
        : NO_PARAMETERS
    case 'send_sms':
      return tool.sms_content.type === 'inferred'
        ? buildSingleTextSchema('text', tool.sms_content.prompt)
        : NO_PARAMETERS
    default:
      return NO_PARAMETERS
  }
}

function toObjectSchema(schema: JsonObject | undefined): JsonObject {
  if (schema === undefined) return NO_PARAMETERS
  return schema.type === 'object' ? schema : { ...schema, type: 'object' }
}

function buildSingleTextSchema(name: string, description: string): JsonObject {
  return { type: 'object', properties: { [name]: { type: 'string', description } }, required: [name] }
}

/** Returns the schema for the model: the arguments, plus the execution message if the model writes it. */
function getModelSchema(tool: OfferedTool): JsonObject {
  const parameters = getToolParameters(tool)
  if (!isMessageModelWritten(tool)) return parameters
  const hint = ('execution_message_description' in tool && tool.execution_message_description) || ''
  const description = `What to tell the user before this runs, one short sentence.${hint === '' ? '' : ` ${hint}`}`
  const properties = {
    ...(parameters.properties as JsonObject | undefined),
    [EXECUTION_MESSAGE_FIELD]: { type: 'string', description },
  }
  return { ...parameters, properties }
}

/** Converts a tool to the model's format and renders variables in its description. */
export function toModelTool(tool: OfferedTool, lookup: VariableLookup): ModelTool {
  const description = tool.description ?? DEFAULT_DESCRIPTION[tool.type] ?? ''
  return {
    name: tool.name,
    description: renderTemplate(description, lookup),
    parameters: getOrCreate(modelSchemas, tool, getModelSchema),
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

/** Returns a call's execution message, which is the rendered static text or the model's own, or `null` if there is none. */
export function getExecutionMessage(tool: OfferedTool, argumentsText: string, lookup: VariableLookup): string | null {
  if (tool.type === 'state_transition') return null
  if (isMessageModelWritten(tool)) return readModelWrittenMessage(argumentsText)
  const shouldSpeak =
    tool.type === 'end_call' ? tool.speak_during_execution !== false : tool.speak_during_execution === true
  if (!shouldSpeak || tool.execution_message_type !== 'static_text') return null
  return nullIfBlank(renderTemplate(tool.execution_message_description ?? '', lookup))
}

function readModelWrittenMessage(argumentsText: string): string | null {
  const message = parseJsonObject(argumentsText)?.[EXECUTION_MESSAGE_FIELD]
  return typeof message === 'string' ? nullIfBlank(message) : null
}

/** Removes the execution message from a call's arguments. */
export function removeExecutionMessage(argumentsText: string): string {
  const parsed = argumentsText.includes(EXECUTION_MESSAGE_FIELD) ? parseJsonObject(argumentsText) : null
  if (parsed === null) return argumentsText
  const { [EXECUTION_MESSAGE_FIELD]: _message, ...args } = parsed
  return JSON.stringify(args)
}

function nullIfBlank(message: string): string | null {
  return message.trim() === '' ? null : message
}

function getOrCreate(
  cache: WeakMap<OfferedTool, JsonObject>,
  tool: OfferedTool,
  createSchema: (tool: OfferedTool) => JsonObject,
): JsonObject {
  const cachedSchema = cache.get(tool)
  if (cachedSchema !== undefined) return cachedSchema
  const schema = createSchema(tool)
  cache.set(tool, schema)
  return schema
}
