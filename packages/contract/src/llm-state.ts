import { z } from 'zod'
import { freeObject, PROMPT_LIMIT_BYTES, text } from './fields.ts'
import { sentence } from './tool-fields.ts'
import { ToolList } from './tools.ts'

/** States of an LLM configuration: places of a conversation, each with a prompt and tools of its own. */

/** `transition_to_<name>` must be a name that every provider takes for a function. */
const StateName = z.string().regex(/^[a-zA-Z0-9_-]{1,50}$/, 'must be 1 to 50 letters, digits, "_" or "-"')

/** Name of the tool by which a model goes to a state. */
export function transitionToolName(stateName: string): string {
  return `transition_to_${stateName}`
}

export const LlmStateEdge = z
  .object({
    destination_state_name: StateName.meta({ description: 'The state to go to.' }),
    description: sentence().min(1).meta({ description: 'Tells the model when to go there.' }),
    parameters: freeObject(64 * 1024)
      .refine((schema) => schema.type === undefined || schema.type === 'object', {
        error: 'must be of type "object"',
        path: ['type'],
      })
      .optional()
      .meta({ description: 'JSON Schema of what the model hands over; it becomes dynamic variables.' }),
  })
  .meta({ id: 'LlmStateEdge' })
export type LlmStateEdge = z.output<typeof LlmStateEdge>

export const LlmState = z
  .object({
    name: StateName.meta({ description: 'Unique within the list.' }),
    state_prompt: text(PROMPT_LIMIT_BYTES)
      .optional()
      .meta({ description: 'Follows the general prompt while the conversation is here; may hold `{{variables}}`.' }),
    tools: ToolList.optional().meta({ description: 'Tools beside the general ones while the conversation is here.' }),
    edges: z.array(LlmStateEdge).max(50).optional().meta({ description: 'Where the model may go from here.' }),
  })
  .meta({ id: 'LlmState', description: 'A part of the conversation with a prompt and tools of its own.' })
export type LlmState = z.output<typeof LlmState>

/** The states of one LLM configuration, each name once, edges between them only. */
export const LlmStateList = z.array(LlmState).max(50).superRefine(rejectInvalidStates)

function rejectInvalidStates(states: readonly LlmState[], context: z.core.$RefinementCtx): void {
  const names = new Set(states.map(({ name }) => name))
  const seen = new Set<string>()
  states.forEach(({ name, edges = [] }, index) => {
    if (seen.has(name)) {
      const message = `must be unique: "${name}" is already used`
      context.addIssue({ code: 'custom', path: [index, 'name'], message })
    }
    seen.add(name)
    edges.forEach(({ destination_state_name: destination }, edge) => {
      if (names.has(destination)) return
      const path = [index, 'edges', edge, 'destination_state_name']
      context.addIssue({ code: 'custom', path, message: `must name a state: there is no "${destination}"` })
    })
  })
}
