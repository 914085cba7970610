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
 * One attempt of an ingestion run. The source's row stores the run id followed by the attempt's token. A newer attempt replaces
 * the token, so that late writes are rejected.
 */
export interface Claim {
  readonly source: KnowledgeSourceRow
  readonly base: KnowledgeBaseRow
  readonly token: string
}

/** Thrown if the source was deleted, or if another run or attempt took it over. The current attempt must stop writing. */
export class LostClaimError extends Error {
  constructor() {
    super('The source was deleted or taken over by another attempt.')
    this.name = 'LostClaimError'
  }
}

/** Returns the id of the current ingestion run without the attempt's token. */
export function getRunId({ reading_id }: Pick<KnowledgeSourceRow, 'reading_id'>): string {
  return reading_id.split('/')[0] ?? ''
}

export function isInProgress({ status }: Pick<KnowledgeSourceRow, 'status'>): boolean {
  return status === 'processing' || status === 'refreshing'
}

/** Finds the source of an ingestion run. Returns null if the source was deleted or belongs to another run. */
export async function findSourceByRun(
  reader: Reader,
  sourceId: string,
  runId: string,
): Promise<KnowledgeSourceRow | null> {
  const row = await reader
    .selectFrom('knowledge_sources')
    .selectAll()
    .where('source_id', '=', sourceId)
    .executeTakeFirst()
  return row !== undefined && getRunId(row) === runId ? row : null
}

/** Claims the source and invalidates the claims of earlier attempts. Returns null if the knowledge base no longer exists. */
export async function claimSource(
  {
    database,
    makeId,
  }: { readonly database: Pick<Database, 'read' | 'queryBuilder' | 'batch'>; readonly makeId: MakeId },
  source: KnowledgeSourceRow,
  now: number,
): Promise<Claim | null> {
  const base = await database.read
    .selectFrom('knowledge_bases')
    .selectAll()
    .where('knowledge_base_id', '=', source.knowledge_base_id)
    .executeTakeFirst()
  if (base === undefined) return null
  const token = `${getRunId(source)}/${makeId('lease')}`
  const query = database.queryBuilder
    .updateTable('knowledge_sources')
    .set({ reading_id: token, updated_at: now })
    .where('source_id', '=', source.source_id)
    .where('reading_id', '=', source.reading_id)
    .where('status', '=', source.status)
    .where('generation', '=', source.generation)
  await writeOrThrowLostClaim(() => database.batch([{ query: query.compile(), expectRows: 1 }]))
  return { source, base, token }
}

const confirmClaim = prepareStatement<{ readonly sourceId: string; readonly token: string; readonly status: string }>(
  (reader, param) =>
    reader
      .updateTable('knowledge_sources')
      .set({ reading_id: param('token') })
      .where('source_id', '=', param('sourceId'))
      .where('reading_id', '=', param('token'))
      .where('status', '=', param('status')),
)

/** Executes statements if the claim is still valid. Throws `LostClaimError` otherwise. */
export async function writeClaimed(
  database: Pick<Database, 'queryBuilder' | 'batch'>,
  { source, token }: Pick<Claim, 'source' | 'token'>,
  statements: readonly BatchStatement[],
): Promise<void> {
  const confirmation = confirmClaim(database, { sourceId: source.source_id, token, status: source.status })
  await writeOrThrowLostClaim(() => database.batch([{ query: confirmation, expectRows: 1 }, ...statements]))
}

async function writeOrThrowLostClaim(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    throw error instanceof BatchConflictError ? new LostClaimError() : error
  }
}
