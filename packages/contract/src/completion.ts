import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { TurnStatus } from './events.ts'
import { bodyWorkspace, id, MESSAGE_LIMIT_BYTES, text, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Turns of a chat: a message of the user and what the agent answers. */

export const CreateCompletionBody = z
  .object({
    workspaceId: bodyWorkspace(),
    content: text(MESSAGE_LIMIT_BYTES)
      .refine((content) => content.trim() !== '', { error: 'must not be blank' })
      .meta({ description: 'The message of the user.' }),
    stream: z
      .boolean()
      .optional()
      .meta({ description: 'Answer with server-sent events, as `Accept` can ask for too.' }),
  })
  .meta({ id: 'CreateCompletionBody' })
export type CreateCompletionBody = z.output<typeof CreateCompletionBody>

export const Completion = z
  .object({
    messages: z.array(ChatMessage).meta({ description: 'The new messages, tool calls included, without the input.' }),
  })
  .meta({ id: 'Completion' })
export type Completion = z.infer<typeof Completion>

export const CancelledTurn = z
  .object({
    turn_id: z.string(),
    status: TurnStatus.meta({ description: 'Always `cancelled`: a turn that is over is refused.' }),
  })
  .meta({ id: 'CancelledTurn' })
export type CancelledTurn = z.infer<typeof CancelledTurn>

const ChatPath = z.object({ chatId: id().meta({ description: 'The chat, `chat_…`.' }) })
const TurnPath = ChatPath.extend({
  turnId: id().meta({ description: 'The turn, `turn_…`: the `turn_id` of its events and messages.' }),
})
const TAG = 'Chats'

export const createCompletion = defineOperation({
  name: 'createCompletion',
  method: 'POST',
  path: '/api/chats/{chatId}/completions',
  tag: TAG,
  summary: 'Send a message and get the answer',
  description:
    'Answers when the agent’s turn is over, or streams it as server-sent events with `"stream": true` or `Accept: ' +
    'text/event-stream`. A client that disconnects cancels nothing. When every model fails, the message is kept.',
  access: 'calls',
  workspace: 'body',
  pathParameters: ChatPath,
  body: CreateCompletionBody,
  status: 201,
  result: Completion,
  errors: [
    'not_found',
    'chat_ended',
    'model_not_configured',
    'engine_unavailable',
    'provider_error',
    'provider_timeout',
  ],
  features: ['event-stream'],
})

export const getTurnEvents = defineOperation({
  name: 'getTurnEvents',
  method: 'GET',
  path: '/api/chats/{chatId}/turns/{turnId}/events',
  tag: TAG,
  summary: 'Follow a turn',
  description:
    'Streams the events of a turn from its beginning, or after the one that `Last-Event-ID` names. The stream ends ' +
    'with `access-ended` when your access to the chat ends.',
  access: 'read',
  workspace: 'query',
  pathParameters: TurnPath,
  query: WorkspaceQuery,
  status: 200,
  errors: ['not_found'],
  features: ['event-stream'],
})

export const cancelTurn = defineOperation({
  name: 'cancelTurn',
  method: 'POST',
  path: '/api/chats/{chatId}/turns/{turnId}/cancel',
  tag: TAG,
  summary: 'Cancel a turn',
  description: 'Stops the model at once. What was said so far is kept, marked as incomplete.',
  access: 'calls',
  workspace: 'body',
  pathParameters: TurnPath,
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'CancelTurnBody' }),
  status: 200,
  result: CancelledTurn,
  errors: ['not_found', 'turn_not_running'],
})
