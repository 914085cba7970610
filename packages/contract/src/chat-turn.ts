import { z } from 'zod'
import { Chat } from './chat.ts'
import { TurnStatus } from './events.ts'
import { bodyWorkspace, DateTime, id } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Turns of a chat after the fact: what was decided in them and why, and going back to one. */

/** Kinds of decision; each has fields of its own beside `type`. */
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

/** One thing that was decided in a turn, and why. */
export const Decision = z.looseObject({ type: z.enum(DECISION_TYPES) }).meta({
  id: 'Decision',
  description:
    'What was decided and why. A `flow-decision` has `nodeId`, `path` (the component nodes around it, outermost first), `tier` (`equation`, `always`, `skip-response`, `prompt`, ' +
    '`global`, `go-back`, `else`, `only-edge`, `result` or `stay`), `edgeId`, `destinationNodeId`, `latencyMs`, ' +
    '`inputTokens`, `outputTokens` and `rationale`. `knowledge-retrieved` has `mode`, `latencyMs` and `passages`, the best first.',
})
export type Decision = z.output<typeof Decision>

export const ChatTurn = z
  .object({
    turnId: z.string(),
    status: TurnStatus,
    startedAt: DateTime,
    endedAt: DateTime.nullable(),
    firstTextMs: z.int().nullable().meta({ description: 'From the beginning to the first word; null without one.' }),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .meta({ description: 'Why it failed; null for turns that did not.' }),
    usage: z.array(
      z.object({
        model: z.string(),
        inputTokens: z.int(),
        outputTokens: z.int(),
        cachedInputTokens: z.int(),
        cost: z.number().nullable().meta({ description: 'USD without the markup; null where the price is not known.' }),
      }),
    ),
    decisions: z.array(Decision).meta({ description: 'In the order in which they were made.' }),
  })
  .meta({ id: 'ChatTurn' })
export type ChatTurn = z.output<typeof ChatTurn>

export const RewindChatBody = z
  .object({
    workspaceId: bodyWorkspace(),
    turnId: id().meta({ description: 'The last turn to keep.' }),
  })
  .meta({ id: 'RewindChatBody' })

const ChatPath = z.object({ chatId: id().meta({ description: 'The chat, `chat_…`.' }) })
const TAG = 'Chats'

export const listTurns = defineOperation({
  name: 'listTurns',
  method: 'GET',
  path: '/api/chats/{chatId}/turns',
  tag: TAG,
  summary: 'List the turns of a chat',
  description: 'Newest first: what each decided and why, how long it took and what it used.',
  access: 'read',
  workspace: 'query',
  pathParameters: ChatPath,
  query: pagingQuery(EXTENSION_LIST_LIMIT),
  status: 200,
  result: z.array(ChatTurn),
  errors: ['not_found'],
  features: ['paged'],
})

export const rewindChat = defineOperation({
  name: 'rewindChat',
  method: 'POST',
  path: '/api/chats/{chatId}/rewind',
  tag: TAG,
  summary: 'Go back to an earlier turn',
  description:
    'Takes back everything after the turn: its messages, what was collected, the place in a flow and hand-overs. What tools ' +
    'did meanwhile is not undone. A turn that runs is cancelled.',
  access: 'calls',
  workspace: 'body',
  pathParameters: ChatPath,
  body: RewindChatBody,
  status: 200,
  result: Chat,
  errors: ['not_found', 'chat_ended'],
})
