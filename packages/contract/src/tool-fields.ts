import { z } from 'zod'
import { text } from './fields.ts'

/** Building blocks of the tool schemas. A key that was not given stays absent, so that what is read can be written back. */

const SENTENCE_LIMIT_BYTES = 8 * 1024

/** Words for the model or the caller: a description, a prompt, a line to say. */
export const sentence = (): z.ZodString => text(SENTENCE_LIMIT_BYTES)

/** What every provider of models takes as the name of a function. */
export const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')

const HEADER_NAME_RULE = 'must be the name of a header: letters, digits and "-"'

/** RFC 9110 field names; values without control characters, so that no value can add a header of its own. */
export const HeaderMap = z
  .record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    text(8 * 1024).regex(/^[^\u0000-\u0008\u000a-\u001f\u007f]*$/, 'must not contain control characters'),
    { error: (issue) => (issue.code === 'invalid_key' ? HEADER_NAME_RULE : undefined) },
  )
  .refine((headers) => Object.keys(headers).length <= 50, { error: 'must have at most 50 entries' })

/** Variables to set from a result: name of the variable to the JSON path of its value (`$.customer.name`). */
export const ResponseVariables = z
  .record(z.string().min(1).max(200), z.string().min(1).max(1000))
  .refine((variables) => Object.keys(variables).length <= 100, { error: 'must have at most 100 entries' })
  .meta({ description: 'Variables to set from the result: name to JSON path, such as `$.customer.name`.' })

/** What every type of tool has. */
export const commonToolFields = {
  name: ToolName.meta({ description: 'How the model calls the tool; unique within the list.' }),
  description: sentence().optional().meta({ description: 'Tells the model what the tool does and when to use it.' }),
  speak_during_execution: z
    .boolean()
    .optional()
    .meta({ description: 'Say a line before the tool runs, so that nobody waits in silence.' }),
  execution_message_description: sentence()
    .optional()
    .meta({ description: 'The line itself, or the instruction from which the model makes it.' }),
  execution_message_type: z
    .enum(['prompt', 'static_text'])
    .optional()
    .meta({ description: 'How `execution_message_description` is used; `prompt` when absent.' }),
  enable_typing_sound: z.boolean().optional().meta({ description: 'Play the sound of typing while the tool runs.' }),
}

/** For tools whose result the agent may talk about. */
export const speakAfterExecution = z
  .boolean()
  .optional()
  .meta({ description: 'Let the agent answer once the result is there; true when absent.' })
