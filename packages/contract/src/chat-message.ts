import { z } from 'zod'
import { DateTime } from './fields.ts'

/** A call of a tool as the model asked for it. */
export const MessageToolCall = z
  .object({
    id: z.string(),
    type: z.literal('function'),
    function: z.object({
      name: z.string(),
      arguments: z.string().meta({ description: 'What the model wrote: JSON.' }),
    }),
  })
  .meta({ id: 'MessageToolCall' })
export type MessageToolCall = z.infer<typeof MessageToolCall>

export const MESSAGE_ROLES = ['user', 'assistant', 'tool', 'system'] as const

/** One message of a chat. Results of tools are messages of role `tool` that name the call they answer. */
export const ChatMessage = z
  .object({
    message_id: z.string(),
    turn_id: z.string().nullable().meta({ description: 'The turn it belongs to; null outside of turns.' }),
    role: z.enum(MESSAGE_ROLES),
    content: z.string().meta({ description: '"" for a message of tool calls only.' }),
    name: z.string().meta({ description: 'Of the tool for role `tool`; else mostly empty.' }),
    tool_calls: z.array(MessageToolCall).meta({ description: 'Tools that the model calls with this message.' }),
    tool_call_id: z.string().nullable().meta({ description: 'For role `tool`: the call that this answers.' }),
    incomplete: z.boolean().meta({ description: 'The text broke off: the model failed or the turn was cancelled.' }),
    created_at: DateTime,
  })
  .meta({ id: 'ChatMessage' })
export type ChatMessage = z.infer<typeof ChatMessage>
