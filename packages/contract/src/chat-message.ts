import { z } from 'zod'
import { DateTime } from './fields.ts'
import { namedObject } from './named-object.ts'

/** A tool call as the model requested it. */
export const MessageToolCall = namedObject('MessageToolCall', {
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
export const ChatMessage = namedObject('ChatMessage', {
  message_id: z.string(),
  turn_id: z.string().nullable().describe('ID of the turn; null outside of turns.'),
  role: z.enum(MESSAGE_ROLES),
  content: z.string().describe('Text of the message; empty if it contains only tool calls.'),
  name: z.string().describe('Name of the tool for role `tool`; otherwise usually empty.'),
  tool_calls: z.array(MessageToolCall).describe('Tools that the model calls in this message.'),
  tool_call_id: z.string().nullable().describe('For role `tool`: ID of the tool call.'),
  incomplete: z.boolean().describe('Whether the text is cut off because the model failed or the turn was canceled.'),
  created_at: DateTime,
})
export type ChatMessage = z.infer<typeof ChatMessage>
