import { z } from 'zod'
import { freeObject, PROMPT_LIMIT_BYTES, text } from './fields.ts'
import { describedObject, namedObject } from './named-object.ts'
import { sentence } from './tool-fields.ts'
import { ToolList } from './tools.ts'
import { rejectDuplicates } from './unique-items.ts'

/** States of an LLM configuration, each with its own prompt and tools. */

/** `transition_to_<name>` must be a valid function name for every vendor. */
const StateName = z.string().regex(/^[a-zA-Z0-9_-]{1,50}$/, 'must be 1 to 50 letters, digits, "_" or "-"')

/** Name of the tool that moves the conversation to a state. */
export function transitionToolName(stateName: string): string {
  return `transition_to_${stateName}`
}

export const LlmStateEdge = namedObject('LlmStateEdge', {
  destination_state_name: StateName.describe('Name of the next state.'),
  description: sentence().min(1).describe('When to move to the state, as an instruction for the model.'),
  parameters: freeObject(64 * 1024)
    .refine((schema) => schema.type === undefined || schema.type === 'object', {
      error: 'must be of type "object"',
      path: ['type'],
    })
    .optional()
    .describe('JSON Schema of values that the model passes on, which become dynamic variables.'),
})
export type LlmStateEdge = z.output<typeof LlmStateEdge>

export const LlmState = describedObject('LlmState', 'Part of a conversation with its own prompt and tools.', {
  name: StateName.describe('Name of the state, unique within the list.'),
  state_prompt: text(PROMPT_LIMIT_BYTES)
    .optional()
    .describe('Prompt of the state, appended to the general prompt; can contain `{{variables}}`.'),
  tools: ToolList.optional().describe('Tools of the state, in addition to the general tools.'),
  edges: z.array(LlmStateEdge).max(50).optional().describe('States that the model can move to.'),
})
export type LlmState = z.output<typeof LlmState>

/** The states of one LLM configuration, each with its own name. Edges lead to states of the list. */
export const LlmStateList = z
  .array(LlmState)
  .max(50)
  .superRefine((states, context) => {
    rejectDuplicates('name')(states, context)
    rejectUnknownDestinations(states, context)
  })

function rejectUnknownDestinations(states: readonly LlmState[], context: z.core.$RefinementCtx): void {
  const names = new Set(states.map(({ name }) => name))
  states.forEach(({ edges = [] }, index) => {
    edges.forEach(({ destination_state_name: destination }, edge) => {
      if (names.has(destination)) return
      const path = [index, 'edges', edge, 'destination_state_name']
      context.addIssue({ code: 'custom', path, message: unknownStateMessage(destination) })
    })
  })
}

export function unknownStateMessage(name: string): string {
  return `must be the name of a state: there is no state "${name}"`
}
