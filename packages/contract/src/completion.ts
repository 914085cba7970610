import { z } from 'zod'
import { ChatPath } from './chat.ts'
import { ChatMessage } from './chat-message.ts'
import { TurnStatus } from './events.ts'
import { bodyWorkspace, id, MESSAGE_LIMIT_BYTES, text, WorkspaceQuery } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Turns of a chat: a user message and the agent's response. */

export const CreateCompletionBody = defineObject('CreateCompletionBody', {
  workspaceId: bodyWorkspace(),
  content: text(MESSAGE_LIMIT_BYTES)
    .refine((content) => content.trim() !== '', { error: 'must not be blank' })
    .describe('User message.'),
  stream: z
    .boolean()
    .optional()
    .describe('Whether to stream the response as server-sent events. `Accept: text/event-stream` has the same effect.'),
})
export type CreateCompletionBody = z.output<typeof CreateCompletionBody>

export const Completion = defineObject('Completion', {
  messages: z.array(ChatMessage).describe('New messages including tool calls, without the user message.'),
})
export type Completion = z.infer<typeof Completion>

export const CancelledTurn = defineObject('CancelledTurn', {
  turn_id: z.string(),
  status: TurnStatus.describe('Always `cancelled`. Canceling a turn that has already ended fails.'),
})
export type CancelledTurn = z.infer<typeof CancelledTurn>

const TurnPath = ChatPath.extend({
  turnId: id().describe('ID of the turn (`turn_…`), returned as `turn_id` in events and messages.'),
})
const TAG = 'Chats'

export const createCompletion = defineOperation({
  name: 'createCompletion',
  route: 'POST /api/chats/{chatId}/completions',
  tag: TAG,
  summary: 'Create a completion',
  description:
    'Sends a user message and returns the agent’s response when the turn ends. With `"stream": true` ' +
    'or `Accept: text/event-stream`, streams the turn as server-sent events. Disconnecting does not cancel the ' +
    'turn. If every model fails, the user message is kept.',
  access: 'calls',
  pathParameters: ChatPath,
  body: CreateCompletionBody,
  status: 201,
  result: Completion,
  errors: ['chat_ended', 'model_not_configured', 'engine_unavailable', 'provider_error', 'provider_timeout'],
  features: ['event-stream'],
})

export const getTurnEvents = defineOperation({
  name: 'getTurnEvents',
  route: 'GET /api/chats/{chatId}/turns/{turnId}/events',
  tag: TAG,
  summary: 'Stream the events of a turn',
  description:
    'Streams the events of a turn, from the start or after `Last-Event-ID`. The stream ends with `access-ended` ' +
    'if you lose access to the chat.',
  access: 'read',
  pathParameters: TurnPath,
  query: WorkspaceQuery,
  features: ['event-stream'],
})

export const cancelTurn = defineOperation({
  name: 'cancelTurn',
  route: 'POST /api/chats/{chatId}/turns/{turnId}/cancel',
  tag: TAG,
  summary: 'Cancel a turn',
  description: 'Cancels a running turn immediately. Text that was already generated is kept and marked as incomplete.',
  access: 'calls',
  pathParameters: TurnPath,
  body: defineObject('CancelTurnBody', { workspaceId: bodyWorkspace() }),
  result: CancelledTurn,
  errors: ['turn_not_running'],
})
