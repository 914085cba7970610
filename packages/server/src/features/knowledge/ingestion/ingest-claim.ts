import type { MakeId } from '@parley/engine/ports'
import {
  BatchConflictError,
  type BatchStatement,
  type Database,
  type Reader,
} from '../../../kernel/storage/database.ts'
import { prepareStatement } from '../../../kernel/storage/prepared-query.ts'
import type { KnowledgeBaseRow, KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'

/**
 * One attempt at reading a source. Its token stands behind the id of the reading in the source's row: whoever begins another
 * attempt puts a new one there, so that what an attempt that lost its lease still writes is refused.
 */
export interface Claim {
  readonly source: KnowledgeSourceRow
  readonly base: KnowledgeBaseRow
  readonly token: string
}

/** The source is gone, read anew or read by another attempt: nothing of this one may be written any more. */
export class LostClaimError extends Error {
  constructor() {
    super('The source was taken over by another attempt, or is gone.')
    this.name = 'LostClaimError'
  }
}

/** The reading that a source is to be read with, whichever attempt works on it. */
export function readingOf({ reading_id }: Pick<KnowledgeSourceRow, 'reading_id'>): string {
  return reading_id.split('/')[0] ?? ''
}

/** Whether the reading goes on. */
export function isInProgress({ status }: Pick<KnowledgeSourceRow, 'status'>): boolean {
  return status === 'processing' || status === 'refreshing'
}

/** The source with that reading; `null` when it is gone or another reading has begun. */
export async function findReading(
  reader: Reader,
  sourceId: string,
  readingId: string,
): Promise<KnowledgeSourceRow | null> {
  const row = await reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('source_id', '=', sourceId)
    .executeTakeFirst()
  return row !== undefined && readingOf(row) === readingId ? row : null
}

/** Takes the source over from every earlier attempt; `null` when its knowledge base is gone. */
export async function claimSource(
  { database, makeId }: { readonly database: Pick<Database, 'read' | 'compile' | 'batch'>; readonly makeId: MakeId },
  source: KnowledgeSourceRow,
  now: number,
): Promise<Claim | null> {
  const base = await database.read
    .selectFrom('knowledge_bases')
    .selectAll()
    .where('knowledge_base_id', '=', source.knowledge_base_id)
    .executeTakeFirst()
  if (base === undefined) return null
  const token = `${readingOf(source)}/${makeId('lease')}`
  const query = database.compile
    .updateTable('knowledge_sources')
    .set({ reading_id: token, updated_at: now })
    .where('source_id', '=', source.source_id)
    .where('reading_id', '=', source.reading_id)
    .where('status', '=', source.status)
    .where('generation', '=', source.generation)
  await orLostClaim(() => database.batch([{ query: query.compile(), expectRows: 1 }]))
  return { source, base, token }
}

const confirmClaim = prepareStatement<{ readonly sourceId: string; readonly token: string; readonly status: string }>(
  (reader, slot) =>
    reader
      .updateTable('knowledge_sources')
      .set({ reading_id: slot('token') })
      .where('source_id', '=', slot('sourceId'))
      .where('reading_id', '=', slot('token'))
      .where('status', '=', slot('status')),
)

/** Writes what belongs to an attempt, unless it lost the source. Throws `LostClaimError` then. */
export async function writeClaimed(
  database: Pick<Database, 'compile' | 'batch'>,
  { source, token }: Pick<Claim, 'source' | 'token'>,
  statements: readonly BatchStatement[],
): Promise<void> {
  const confirmation = confirmClaim(database, { sourceId: source.source_id, token, status: source.status })
  await orLostClaim(() => database.batch([{ query: confirmation, expectRows: 1 }, ...statements]))
}

async function orLostClaim(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    throw error instanceof BatchConflictError ? new LostClaimError() : error
  }
}
