import { z } from 'zod'
import { freeObject, PROMPT_LIMIT_BYTES, text } from './fields.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { sentence } from './tool-fields.ts'
import { ToolList } from './tools.ts'
import { rejectDuplicates } from './unique-items.ts'

/** States of an LLM configuration, each with its own prompt and tools. */

/** State name. `transition_to_<name>` must be a valid function name for every vendor. */
const StateName = z.string().regex(/^[a-zA-Z0-9_-]{1,50}$/, 'must be 1 to 50 letters, digits, "_" or "-"')

/** Returns the name of the tool that moves the conversation to a state. */
export function toTransitionToolName(stateName: string): string {
  return `transition_to_${stateName}`
}

export const LlmStateEdge = defineObject('LlmStateEdge', {
  destination_state_name: StateName.describe('Name of the next state.'),
  description: sentence().min(1).describe('Instruction that tells the model when to move to the state.'),
  parameters: freeObject(64 * 1024)
    .refine((schema) => schema.type === undefined || schema.type === 'object', {
      error: 'must be of type "object"',
      path: ['type'],
    })
    .optional()
    .describe('JSON Schema of the values that the model passes to the state. They become dynamic variables.'),
})
export type LlmStateEdge = z.output<typeof LlmStateEdge>

export const LlmState = defineDescribedObject('LlmState', 'Part of a conversation with its own prompt and tools.', {
  name: StateName.describe('Name of the state, unique within the list.'),
  state_prompt: text(PROMPT_LIMIT_BYTES)
    .optional()
    .describe('Prompt of the state, appended to the general prompt; can contain `{{variables}}`.'),
  tools: ToolList.optional().describe('Tools of the state, in addition to the general tools.'),
  edges: z.array(LlmStateEdge).max(50).optional().describe('States that the model can move to.'),
})
export type LlmState = z.output<typeof LlmState>

/** States of an LLM configuration. Their names are unique, and edges lead to states in the list. */
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
    edges.forEach(({ destination_state_name: destination }, edgeIndex) => {
      if (names.has(destination)) return
      const path = [index, 'edges', edgeIndex, 'destination_state_name']
      context.addIssue({ code: 'custom', path, message: describeUnknownState(destination) })
    })
  })
}

export function describeUnknownState(name: string): string {
  return `must be the name of a state: there is no state "${name}"`
}
