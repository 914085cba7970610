import { z } from 'zod'
import { text } from './fields.ts'

/** Building blocks of tool schemas. Omitted fields stay absent, so that clients can send responses back unchanged. */

const SENTENCE_LIMIT_BYTES = 8 * 1024

/** Returns a schema for short texts for the model or the caller, such as descriptions, prompts and messages. */
export const sentence = (): z.ZodString => text(SENTENCE_LIMIT_BYTES)

/** Function name that every model vendor accepts. */
export const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"')

const HEADER_NAME_RULE = 'must be a header name: letters, digits and "-"'

/** HTTP headers. Names follow RFC 9110, and values must not contain control characters, which could inject headers. */
export const HeaderMap = z
  .record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
    text(8 * 1024).regex(/^[^\u0000-\u0008\u000a-\u001f\u007f]*$/, 'must not contain control characters'),
    { error: (issue) => (issue.code === 'invalid_key' ? HEADER_NAME_RULE : undefined) },
  )
  .refine((headers) => Object.keys(headers).length <= 50, { error: 'must have at most 50 entries' })

/** Variables to set from a result: variable name to JSON path (`$.customer.name`). */
export const ResponseVariables = z
  .record(z.string().min(1).max(200), z.string().min(1).max(1000))
  .refine((variables) => Object.keys(variables).length <= 100, { error: 'must have at most 100 entries' })
  .describe('Variables to set from the result, as a map from variable names to JSON paths such as `$.customer.name`.')

/** Fields that every tool has. */
export const commonToolFields = {
  name: ToolName.describe('Name of the tool for the model, unique within the list.'),
  description: sentence().optional().describe('Tells the model what the tool does and when to use it.'),
  speak_during_execution: z.boolean().optional().describe('Whether the agent says something before the tool runs.'),
  execution_message_description: sentence()
    .optional()
    .describe('Text that the agent says before the tool runs, or an instruction for generating that text.'),
  execution_message_type: z
    .enum(['prompt', 'static_text'])
    .optional()
    .describe('Whether `execution_message_description` is a prompt or fixed text. Defaults to `prompt`.'),
  enable_typing_sound: z.boolean().optional().describe('Whether to play typing sounds while the tool runs.'),
}

/** Field of tools with a result that the agent can talk about. */
export const speakAfterExecution = z
  .boolean()
  .optional()
  .describe('Whether the agent speaks after the tool has returned. Defaults to true.')
