import { z } from 'zod'
import { DateTime } from './fields.ts'
import { defineObject } from './named-object.ts'

/** A tool call as the model requested it. */
export const MessageToolCall = defineObject('MessageToolCall', {
  id: z.string(),
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    arguments: z.string().describe('Arguments from the model, as JSON.'),
  }),
})
export type MessageToolCall = z.infer<typeof MessageToolCall>

export const MESSAGE_ROLES = ['user', 'assistant', 'tool', 'system'] as const

/** A message of a chat. Messages with the role `tool` contain the result of a tool call. */
export const ChatMessage = defineObject('ChatMessage', {
  message_id: z.string(),
  turn_id: z.string().nullable().describe('ID of the turn, or null outside of turns.'),
  role: z.enum(MESSAGE_ROLES),
  content: z.string().describe('Text of the message. Empty if the message contains only tool calls.'),
  name: z.string().describe('Name of the tool for role `tool`. Usually empty for other roles.'),
  tool_calls: z.array(MessageToolCall).describe('Tool calls that the model makes in this message.'),
  tool_call_id: z.string().nullable().describe('ID of the tool call (role `tool` only).'),
  incomplete: z.boolean().describe('Whether the text is incomplete because the model failed or the turn was canceled.'),
  created_at: DateTime,
})
export type ChatMessage = z.infer<typeof ChatMessage>
