import { z } from 'zod'
import { Chat, ChatPath } from './chat.ts'
import { TurnStatus } from './events.ts'
import { bodyWorkspace, DateTime, id } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Completed turns of a chat with their decisions, and rewinding a chat to a turn. */

/** Decision types. Each type has its own fields. */
export const DECISION_TYPES = [
  'model-retry',
  'model-fallback',
  'fallback-message',
  'history-trimmed',
  'blank-answer',
  'tool-limit',
  'flow-decision',
  'hop-limit',
  'loop-stopped',
  'knowledge-retrieved',
  'skipped',
  'agent-swap',
] as const

/** A decision made in a turn, and the reason for it. */
export const Decision = z.looseObject({ type: z.enum(DECISION_TYPES) }).meta({
  id: 'Decision',
  description:
    'A decision with its reason. `flow-decision` has `nodeId`, `path` (the enclosing component nodes, outermost ' +
    'first), `tier` (`equation`, `always`, `skip-response`, `prompt`, `global`, `go-back`, `else`, `only-edge`, ' +
    '`result` or `stay`), `edgeId`, `destinationNodeId`, `latencyMs`, `inputTokens`, `outputTokens` and ' +
    '`rationale`. `knowledge-retrieved` has `mode`, `latencyMs` and `passages`, best first.',
})
export type Decision = z.output<typeof Decision>

export const ChatTurn = defineObject('ChatTurn', {
  turnId: z.string(),
  status: TurnStatus,
  startedAt: DateTime,
  endedAt: DateTime.nullable().describe('Time when the turn ended, or null while it is running.'),
  firstTextMs: z.int().nullable().describe('Milliseconds until the first text, or null if there is no text.'),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Error of a failed turn, or null if the turn did not fail.'),
  usage: z.array(
    z.object({
      model: z.string(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      cachedInputTokens: z.int().describe('Part of `inputTokens`.'),
      cost: z.number().nullable().describe('Cost in USD without markup, or null if the price is unknown.'),
    }),
  ),
  decisions: z.array(Decision).describe('Decisions of the turn, in order.'),
})
export type ChatTurn = z.output<typeof ChatTurn>

export const RewindChatBody = defineObject('RewindChatBody', {
  workspaceId: bodyWorkspace(),
  turnId: id().describe('ID of the last turn to keep.'),
})

const TAG = 'Chats'

export const listTurns = defineOperation({
  name: 'listTurns',
  route: 'GET /api/chats/{chatId}/turns',
  tag: TAG,
  summary: 'List the turns of a chat',
  description: 'Returns the turns with their decisions, latency and usage, newest first.',
  access: 'read',
  pathParameters: ChatPath,
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  result: z.array(ChatTurn),
  features: ['paged'],
})

export const rewindChat = defineOperation({
  name: 'rewindChat',
  route: 'POST /api/chats/{chatId}/rewind',
  tag: TAG,
  summary: 'Rewind a chat',
  description:
    'Removes everything that happened after a turn: messages, collected variables, the position in a flow and agent swaps. ' +
    'Effects of tools are not undone. A running turn is canceled.',
  access: 'calls',
  pathParameters: ChatPath,
  body: RewindChatBody,
  result: Chat,
  errors: ['chat_ended'],
})
