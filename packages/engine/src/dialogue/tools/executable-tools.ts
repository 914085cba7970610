import type { CustomTool, EndCallTool, Tool } from '@parley/contract/tools'
import type { JsonObject, ModelTool } from '../../ports.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'

/** The types of tools that the dialogue can carry out. */
export type ExecutableTool = CustomTool | EndCallTool

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/** The tools of an engine that can be carried out; the others are not offered to the model. */
export function executableTools(tools: readonly Tool[]): readonly ExecutableTool[] {
  return tools.filter((tool): tool is ExecutableTool => tool.type === 'custom' || tool.type === 'end_call')
}

/** The JSON Schema of a tool's arguments; the same object each time, so that what is compiled from it can be kept. */
export function toolParameters(tool: ExecutableTool): JsonObject {
  // The contract admits it only as plain JSON.
  return tool.type === 'custom' && tool.parameters !== undefined ? (tool.parameters as JsonObject) : NO_PARAMETERS
}

/** How a tool is offered to the model; variables in its description are rendered. */
export function toModelTool(tool: ExecutableTool, lookup: VariableLookup): ModelTool {
  const description = tool.description ?? (tool.type === 'end_call' ? 'Ends the conversation.' : '')
  const parameters = toolParameters(tool)
  return {
    name: tool.name,
    description: renderTemplate(description, lookup),
    parameters: parameters.type === 'object' ? parameters : { ...parameters, type: 'object' },
  }
}

/** The fixed line that a tool says while it runs, rendered; `null` when it has none. Lines of type `prompt` are for calls. */
export function executionLine(tool: ExecutableTool, lookup: VariableLookup): string | null {
  const wanted = tool.type === 'end_call' ? tool.speak_during_execution !== false : tool.speak_during_execution === true
  if (!wanted || tool.execution_message_type !== 'static_text') return null
  const line = renderTemplate(tool.execution_message_description ?? '', lookup)
  return line.trim() === '' ? null : line
}
