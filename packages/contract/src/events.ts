import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'

/** Server-sent events of a turn. Event IDs increase within the turn, so that clients can resume with `Last-Event-ID`. */

/** `interrupted`: the process stopped during the turn. The user message is kept and can be answered again. */
export const TURN_STATUSES = ['running', 'completed', 'failed', 'cancelled', 'interrupted'] as const
export const TurnStatus = z.enum(TURN_STATUSES).meta({ id: 'TurnStatus' })
export type TurnStatus = z.infer<typeof TurnStatus>

export const TurnStreamEvent = z
  .discriminatedUnion('event', [
    z.object({ event: z.literal('turn.started'), data: z.object({ turn_id: z.string() }) }),
    z.object({ event: z.literal('message.delta'), data: z.object({ text: z.string() }) }),
    z
      .object({ event: z.literal('message.restarted'), data: z.object({}) })
      .describe('Signals that clients must discard the current message text because another node continues the turn.'),
    z.object({
      event: z.literal('tool.call'),
      data: z.object({ tool_call_id: z.string(), name: z.string(), arguments: z.string() }),
    }),
    z.object({
      event: z.literal('tool.result'),
      data: z.object({ tool_call_id: z.string(), name: z.string(), content: z.string(), successful: z.boolean() }),
    }),
    z.object({ event: z.literal('message.completed'), data: z.object({ message: ChatMessage }) }),
    z.object({
      event: z.literal('error'),
      data: z.object({ code: z.string(), error: z.string().describe('Error message.') }),
    }),
    z.object({ event: z.literal('done'), data: z.object({ turn_id: z.string(), status: TurnStatus }) }),
  ])
  .meta({ id: 'TurnStreamEvent', description: 'Events of a turn, in order. The last event is always `done`.' })
export type TurnStreamEvent = z.infer<typeof TurnStreamEvent>
