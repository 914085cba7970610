import type { StreamFrame } from '../../../kernel/api/implement.ts'
import type { BatchStatement, Database, Reader } from '../../../kernel/storage/database.ts'
import { prepareQuery, prepareStatement } from '../../../kernel/storage/prepared-query.ts'
import type { TurnEventsRow } from '../../../tables/chat-tables.ts'

/** The events of turns on record: written by the node that runs them, read by all. */

/** Consecutive events of one turn. */
export interface FrameChunk {
  readonly turnId: string
  readonly frames: readonly StreamFrame[]
}

/** Events of this many turns are deleted at once. */
const SWEEP_TURNS = 50
/** So long after its end a turn can be followed word by word. */
const KEEP_MS = 10 * 60_000

type RecordArguments = TurnEventsRow & { readonly node_id: string }

const record = prepareStatement<RecordArguments>((compile, slot) => insertIfOwned(compile, slot, false))
/** Waits for a node that takes the turn over right now, or makes it wait until these events can be seen; ends wait for neither. */
const recordLocked = prepareStatement<RecordArguments>((compile, slot) => insertIfOwned(compile, slot, true))

function insertIfOwned(
  compile: Reader,
  slot: <Name extends keyof RecordArguments>(name: Name) => RecordArguments[Name],
  locks: boolean,
) {
  return compile
    .insertInto('turn_events')
    .columns(['turn_id', 'first_event', 'frames', 'created_at'])
    .expression((builder) => {
      const owned = builder
        .selectFrom('turns')
        .select(({ cast, val }) => [
          'turns.turn_id',
          cast<number>(val(slot('first_event')), 'integer').as('first_event'),
          cast<string>(val(slot('frames')), 'text').as('frames'),
          cast<number>(val(slot('created_at')), 'bigint').as('created_at'),
        ])
        .where('turns.turn_id', '=', slot('turn_id'))
        .where('turns.node_id', '=', slot('node_id'))
      return locks ? owned.forKeyShare() : owned
    })
    .onConflict((conflict) =>
      conflict
        .columns(['turn_id', 'first_event'])
        .doUpdateSet((row) => ({ frames: row.ref('excluded.frames'), created_at: row.ref('excluded.created_at') })),
    )
}

/** Records events of turns that this node runs, one statement each; writing the same again changes nothing. */
export function recordFrames(
  database: Database,
  chunks: readonly FrameChunk[],
  { nodeId, now }: { nodeId: string; now: number },
): BatchStatement[] {
  const insert = database.capabilities.rowLocks ? recordLocked : record
  return chunks.map(({ turnId, frames }) => {
    const row = { turn_id: turnId, first_event: frames[0]?.id ?? 1, frames: printFrames(frames), created_at: now }
    return { query: insert(database, { ...row, node_id: nodeId }), expectRows: 1 }
  })
}

/** Notes that a turn was taken over for the `count`th time. */
export function recordTakeover(database: Database, turnId: string, count: number, now: number): BatchStatement {
  const row = { turn_id: turnId, first_event: -count, frames: '[]', created_at: now }
  return { query: database.compile.insertInto('turn_events').values(row).compile() }
}

/** How often a turn was taken over. */
export async function countTakeovers(reader: Reader, turnId: string): Promise<number> {
  const row = await reader
    .selectFrom('turn_events')
    .select(({ fn }) => fn.min('first_event').as('lowest'))
    .where('turn_id', '=', turnId)
    .executeTakeFirst()
  return Math.max(0, -Number(row?.lowest ?? 0))
}

const eventsFrom = prepareQuery<{ turnId: string; first: number }, Pick<TurnEventsRow, 'first_event' | 'frames'>>(
  (reader, slot) =>
    reader
      .selectFrom('turn_events')
      .select(['first_event', 'frames'])
      .where('turn_id', '=', slot('turnId'))
      .where('first_event', '>=', slot('first'))
      .orderBy('first_event'),
)

/** The recorded events of a turn after the given one. */
export async function readFrames(reader: Reader, turnId: string, afterId = 0): Promise<StreamFrame[]> {
  const rows = await eventsFrom(reader, { turnId, first: afterId + 1 })
  return rows.flatMap(parseFrames)
}

/** The node that runs or ran a turn; `null` when the turn does not exist. */
export async function readOwner(reader: Reader, turnId: string): Promise<string | null> {
  const row = await reader.selectFrom('turns').select('node_id').where('turn_id', '=', turnId).executeTakeFirst()
  return row?.node_id ?? null
}

/** Deletes the events of turns that ended a while ago, which are read from their messages then. */
export async function sweepTurnEvents(database: Database, now: number, signal: AbortSignal): Promise<void> {
  const oldest = now - KEEP_MS
  while (!signal.aborted) {
    const rows = await database.read
      .selectFrom('turn_events')
      .innerJoin('turns', 'turns.turn_id', 'turn_events.turn_id')
      .select('turn_events.turn_id')
      .distinct()
      .where('turn_events.created_at', '<', oldest)
      .where('turns.ended_at', '<', oldest)
      .limit(SWEEP_TURNS)
      .execute()
    if (rows.length === 0) return
    const turnIds = rows.map(({ turn_id }) => turn_id)
    await database.batch([
      { query: database.compile.deleteFrom('turn_events').where('turn_id', 'in', turnIds).compile() },
    ])
  }
}

/** Numbers are left out: they follow from the first. */
function printFrames(frames: readonly StreamFrame[]): string {
  return JSON.stringify(frames.map(({ event, data }) => [event, data]))
}

function parseFrames(row: Pick<TurnEventsRow, 'first_event' | 'frames'>): StreamFrame[] {
  const pairs = JSON.parse(row.frames) as [event: string, data: string][]
  return pairs.map(([event, data], index) => ({ id: row.first_event + index, event, data }))
}
