import { createHash } from 'node:crypto'
import type { Database } from '../../../kernel/storage/database.ts'
import { findTurnByKey } from '../chat-store.ts'
import type { TurnFollowers } from '../journal/turn-followers.ts'
import { keyReused } from '../turn/turn-problems.ts'
import type { TurnRun } from '../turn/turn-run.ts'
import type { Turn } from '../turn/turn-state.ts'
import type { TurnRegistry } from './turn-registry.ts'

export interface EarlierTurnDependencies {
  readonly database: Database
  readonly registry: TurnRegistry
  readonly followers: TurnFollowers
}

/** What identifies a retry. */
export interface KeyedRequest {
  readonly chatId: string
  readonly content: string
  readonly actorId: string
  readonly idempotencyKey: string | null
}

/** The key of a turn: that of the request, for its actor and its chat. */
export function idempotencyHash({ actorId, chatId, idempotencyKey }: KeyedRequest): string | null {
  if (idempotencyKey === null) return null
  return createHash('sha256').update(`${actorId}\n${chatId}\n${idempotencyKey}`).digest('hex')
}

/** Joins a turn of this node. */
export function attach({ run, content }: { run: TurnRun; content: string }, request: KeyedRequest): Turn {
  if (content !== request.content) throw keyReused()
  return { log: run.log, outcome: run.outcome, replayed: true }
}

/** The turn that an earlier request with the same key started, wherever it runs; null when none can answer this one. */
export async function findEarlierTurn(
  { database, registry, followers }: EarlierTurnDependencies,
  request: KeyedRequest,
  hash: string,
): Promise<Turn | null> {
  const { read } = database
  const turn = await findTurnByKey(read, request.chatId, hash)
  if (turn === null) return null
  const input = await read
    .selectFrom('messages')
    .select('content')
    .where('message_id', '=', turn.user_message_id)
    .executeTakeFirst()
  if (input?.content !== request.content) throw keyReused()
  const local = registry.get(turn.turn_id)
  if (local !== undefined) return attach({ run: local, content: request.content }, request)
  // A turn that failed or died is not an answer: the retry continues its message.
  if (turn.status === 'failed' || turn.status === 'interrupted') return null
  if (turn.status === 'running' && !followers.canRunElsewhere(turn)) return null
  return await followers.open(turn)
}
