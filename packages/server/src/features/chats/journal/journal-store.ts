import type { TurnStatus } from '@parley/contract/events'
import type { StreamFrame } from '../../../kernel/api/implement.ts'
import type { BatchStatement, Database, Reader } from '../../../kernel/storage/database.ts'
import { prepareQuery, prepareStatement } from '../../../kernel/storage/prepared-query.ts'
import type { TurnEventsRow, TurnRow } from '../../../tables/chat-tables.ts'
import { toMessage } from '../chat-store.ts'
import type { TurnOutcome } from '../turn/turn-state.ts'
import { TurnLog } from './turn-log.ts'

/** Consecutive events of one turn. */
export interface FrameChunk {
  readonly turnId: string
  readonly frames: readonly StreamFrame[]
}

/** Number of turns whose events are deleted in one batch. */
const SWEEP_TURNS = 50
/** How long a turn's individual deltas stay available after its end. */
const RETENTION_MS = 10 * 60_000

type InsertParameters = TurnEventsRow & { readonly node_id: string }

const compileInsert = prepareStatement<InsertParameters>((queryBuilder, param) =>
  buildInsertQuery(queryBuilder, param, false),
)
/** Locks the turn so that inserts and takeovers do not overlap. */
const compileLockingInsert = prepareStatement<InsertParameters>((queryBuilder, param) =>
  buildInsertQuery(queryBuilder, param, true),
)

function buildInsertQuery(
  queryBuilder: Reader,
  param: <Name extends keyof InsertParameters>(name: Name) => InsertParameters[Name],
  shouldLock: boolean,
) {
  return queryBuilder
    .insertInto('turn_events')
    .columns(['turn_id', 'first_event', 'frames', 'created_at'])
    .expression((builder) => {
      const ownedTurn = builder
        .selectFrom('turns')
        .select(({ cast, val }) => [
          'turns.turn_id',
          cast<number>(val(param('first_event')), 'integer').as('first_event'),
          cast<string>(val(param('frames')), 'text').as('frames'),
          cast<number>(val(param('created_at')), 'bigint').as('created_at'),
        ])
        .where('turns.turn_id', '=', param('turn_id'))
        .where('turns.node_id', '=', param('node_id'))
      return shouldLock ? ownedTurn.forKeyShare() : ownedTurn
    })
    .onConflict((conflict) =>
      conflict
        .columns(['turn_id', 'first_event'])
        .doUpdateSet((row) => ({ frames: row.ref('excluded.frames'), created_at: row.ref('excluded.created_at') })),
    )
}

/** Builds one idempotent statement per turn. Each statement records events if this node still owns the turn. */
export function buildFrameInserts(
  database: Database,
  chunks: readonly FrameChunk[],
  { nodeId, now }: { nodeId: string; now: number },
): BatchStatement[] {
  const compileQuery = database.capabilities.rowLocks ? compileLockingInsert : compileInsert
  return chunks.map(({ turnId, frames }) => {
    const row = { turn_id: turnId, first_event: frames[0]?.id ?? 1, frames: serializeFrames(frames), created_at: now }
    return { query: compileQuery(database, { ...row, node_id: nodeId }), expectRows: 1 }
  })
}

/** Builds a statement that records the `count`th takeover of a turn. */
export function buildTakeoverStatement(database: Database, turnId: string, count: number, now: number): BatchStatement {
  const row = { turn_id: turnId, first_event: -count, frames: '[]', created_at: now }
  return { query: database.queryBuilder.insertInto('turn_events').values(row).compile() }
}

export async function countTakeovers(reader: Reader, turnId: string): Promise<number> {
  const row = await reader
    .selectFrom('turn_events')
    .select(({ fn }) => fn.min('first_event').as('lowest'))
    .where('turn_id', '=', turnId)
    .executeTakeFirst()
  return Math.max(0, -Number(row?.lowest ?? 0))
}

const queryEvents = prepareQuery<{ turnId: string; first: number }, Pick<TurnEventsRow, 'first_event' | 'frames'>>(
  (reader, param) =>
    reader
      .selectFrom('turn_events')
      .select(['first_event', 'frames'])
      .where('turn_id', '=', param('turnId'))
      .where('first_event', '>=', param('first'))
      .orderBy('first_event'),
)

/** Returns a turn's recorded events after the given event. */
export async function readFrames(reader: Reader, turnId: string, lastEventId = 0): Promise<StreamFrame[]> {
  const rows = await queryEvents(reader, { turnId, first: lastEventId + 1 })
  return rows.flatMap(parseFrames)
}

/** Returns the id of the node that runs or ran a turn, or `null` if the turn does not exist. */
export async function readOwner(reader: Reader, turnId: string): Promise<string | null> {
  const row = await reader.selectFrom('turns').select('node_id').where('turn_id', '=', turnId).executeTakeFirst()
  return row?.node_id ?? null
}

/** Deletes the events of turns whose retention has expired. Later reads use the turns' messages. */
export async function sweepTurnEvents(database: Database, now: number, signal: AbortSignal): Promise<void> {
  const cutoffMs = now - RETENTION_MS
  while (!signal.aborted) {
    const rows = await database.read
      .selectFrom('turn_events')
      .innerJoin('turns', 'turns.turn_id', 'turn_events.turn_id')
      .select('turn_events.turn_id')
      .distinct()
      .where('turn_events.created_at', '<', cutoffMs)
      .where('turns.ended_at', '<', cutoffMs)
      .limit(SWEEP_TURNS)
      .execute()
    if (rows.length === 0) return
    const turnIds = rows.map(({ turn_id }) => turn_id)
    await database.batch([
      { query: database.queryBuilder.deleteFrom('turn_events').where('turn_id', 'in', turnIds).compile() },
    ])
  }
}

/** Serializes events without their ids because the ids are consecutive. */
function serializeFrames(frames: readonly StreamFrame[]): string {
  return JSON.stringify(frames.map(({ event, data }) => [event, data]))
}

function parseFrames(row: Pick<TurnEventsRow, 'first_event' | 'frames'>): StreamFrame[] {
  const pairs = JSON.parse(row.frames) as [event: string, data: string][]
  return pairs.map(([event, data], index) => ({ id: row.first_event + index, event, data }))
}

/** Returns the turn's messages so far, oldest first, without the user message. */
export async function readTurnMessages(reader: Reader, turn: Pick<TurnRow, 'chat_id' | 'turn_id' | 'user_message_id'>) {
  return await reader
    .selectFrom('messages')
    .selectAll()
    .where('chat_id', '=', turn.chat_id)
    .where('turn_id', '=', turn.turn_id)
    .where('message_id', '!=', turn.user_message_id)
    .orderBy('position')
    .execute()
}

/** Builds an ended turn's events from its messages, without deltas. */
export async function buildStoredTurnLog(reader: Reader, turn: TurnRow): Promise<TurnLog> {
  const messages = (await readTurnMessages(reader, turn)).map(toMessage)
  const eventCount = messages.length + (turn.error_code === null ? 2 : 3)
  const log = new TurnLog(turn.event_count - eventCount + 1)
  log.append({ event: 'turn.started', data: { turn_id: turn.turn_id } })
  for (const message of messages) log.append({ event: 'message.completed', data: { message } })
  if (turn.error_code !== null)
    log.append({ event: 'error', data: { code: turn.error_code, error: turn.error_message ?? '' } })
  log.append({ event: 'done', data: { turn_id: turn.turn_id, status: turn.status as TurnStatus } })
  log.close()
  return log
}

/** Returns the stored outcome of an ended turn. */
export async function readStoredOutcome(reader: Reader, turn: TurnRow): Promise<TurnOutcome> {
  const status = turn.status as TurnOutcome['status']
  const messages = (await readTurnMessages(reader, turn)).map(toMessage)
  return { status, messages, failure: status === 'failed' ? toFailure(turn) : null }
}

function toFailure({ error_code, error_message }: TurnRow): NonNullable<TurnOutcome['failure']> {
  const code = error_code === 'provider_timeout' ? error_code : 'provider_error'
  return { code, message: error_message ?? 'The model could not answer.' }
}
