import type { BatchStatement, Transaction } from '../../../kernel/storage/database.ts'
import type { NewJob } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { type Claim, LostClaimError } from './ingest-claim.ts'
import type { IngestionDependencies } from './ingest-ports.ts'

/** What a reading came to. */
export interface SourceOutcome {
  /** `null` removes the source with all it has. */
  readonly changes: Partial<KnowledgeSourceRow> | null
  /** What can be found is no longer what it was. */
  readonly found: boolean
  readonly jobs?: readonly NewJob[]
}

type FinalizeDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'jobs' | 'webhooks'>

/**
 * Ends a reading in one unit of work: the source, the revision of its knowledge base, the jobs that follow, and the word that
 * the knowledge base is ready when this was the last. Throws `LostClaimError` when the source was lost.
 */
export async function finalizeSource(
  { database, clock, jobs, webhooks }: FinalizeDependencies,
  { source, base, token }: Claim,
  { changes, found, jobs: next = [] }: SourceOutcome,
): Promise<void> {
  const now = clock.now()
  const webhookStatements = await webhooks.statements({
    workspaceId: base.workspace_id,
    event: 'knowledge_base_ready',
    subject: { kind: 'knowledge_base', id: base.knowledge_base_id },
    agents: [],
  })
  await database.transaction(
    async (transaction) => {
      // The row of the knowledge base first: who settles two of its sources at once takes turns, so that one is the last.
      if (!(await lockBase(transaction, base.knowledge_base_id, { found, now }))) throw new LostClaimError()
      if (!(await writeSource(transaction, { source, token }, { changes, now }))) throw new LostClaimError()
      for (const job of next) await jobs.enqueue(transaction, { ...job, workspaceId: base.workspace_id })
      if (await isReady(transaction, base.knowledge_base_id)) await execute(transaction, webhookStatements)
    },
    { isolation: 'read-committed' },
  )
}

/** Whether the knowledge base is there. Until the end of the unit of work no other one changes it. */
export async function lockBase(
  transaction: Transaction,
  knowledgeBaseId: string,
  { found, now }: { readonly found: boolean; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('knowledge_bases')
    .set((column) => ({ revision: column('revision', '+', found ? 1 : 0), ...(found && { updated_at: now }) }))
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

async function writeSource(
  transaction: Transaction,
  { source, token }: Pick<Claim, 'source' | 'token'>,
  { changes, now }: { readonly changes: SourceOutcome['changes']; readonly now: number },
): Promise<boolean> {
  const heldSource = await transaction
    .updateTable('knowledge_sources')
    .set({ updated_at: now })
    .where('source_id', '=', source.source_id)
    .where('reading_id', '=', token)
    .where('status', '=', source.status)
    .where('generation', '=', source.generation)
    // A page of a site that its owner has named meanwhile is decided about anew.
    .where('crawl_path', source.crawl_path === null ? 'is' : '=', source.crawl_path)
    .returning('title')
    .executeTakeFirst()
  if (heldSource === undefined) return false
  if (changes === null) {
    await transaction.deleteFrom('knowledge_sources').where('source_id', '=', source.source_id).execute()
    return true
  }
  const { title, ...others } = changes
  await transaction
    .updateTable('knowledge_sources')
    // A title that its owner has given it meanwhile stays.
    .set({ ...others, ...(title !== undefined && heldSource.title === source.title && { title }) })
    .where('source_id', '=', source.source_id)
    .execute()
  return true
}

/** Nothing of it is being read, and something can be answered from. */
async function isReady(transaction: Transaction, knowledgeBaseId: string): Promise<boolean> {
  const rows = await transaction
    .selectFrom('knowledge_sources')
    .select('status')
    .distinct()
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('status', 'in', ['processing', 'refreshing', 'ready'])
    .execute()
  return rows.length === 1 && rows[0]?.status === 'ready'
}

async function execute(transaction: Transaction, statements: readonly BatchStatement[]): Promise<void> {
  for (const { query } of statements) await transaction.executeQuery(query)
}
