import type { BatchStatement, Transaction } from '../../../kernel/storage/database.ts'
import type { NewJob } from '../../../kernel/work/jobs.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { type Claim, LostClaimError } from './ingest-claim.ts'
import type { IngestionDependencies } from './ingest-job.ts'

/** The outcome of an ingestion run. */
export interface SourceOutcome {
  /** Column values to store, or null to delete the source with its content. */
  readonly changes: Partial<KnowledgeSourceRow> | null
  /** Whether search results changed. */
  readonly affectsSearch: boolean
  readonly jobs?: readonly NewJob[]
}

type FinalizeDependencies = Pick<IngestionDependencies, 'database' | 'clock' | 'jobs' | 'webhooks'>

/**
 * Ends an ingestion run in one transaction. Updates the source and the revision, queues follow-up jobs, and publishes the ready
 * event after the last run. Throws `LostClaimError` if the claim is no longer valid.
 */
export async function finalizeSource(
  { database, clock, jobs, webhooks }: FinalizeDependencies,
  { source, base, token }: Claim,
  { changes, affectsSearch, jobs: followUpJobs = [] }: SourceOutcome,
): Promise<void> {
  const now = clock.now()
  const webhookStatements = await webhooks.buildStatements({
    workspaceId: base.workspace_id,
    event: 'knowledge_base_ready',
    subject: { kind: 'knowledge_base', id: base.knowledge_base_id },
    agents: [],
  })
  await database.transaction(
    async (transaction) => {
      // Locks the knowledge base, so that only the last of several runs publishes the event.
      if (!(await lockBase(transaction, base.knowledge_base_id, { affectsSearch, now }))) throw new LostClaimError()
      if (!(await updateSource(transaction, { source, token }, { changes, now }))) throw new LostClaimError()
      for (const job of followUpJobs) await jobs.enqueue(transaction, { ...job, workspaceId: base.workspace_id })
      if (await isReady(transaction, base.knowledge_base_id)) await executeStatements(transaction, webhookStatements)
    },
    { isolation: 'read-committed' },
  )
}

/** Locks the knowledge base until the transaction ends. Returns false if the knowledge base does not exist. */
export async function lockBase(
  transaction: Transaction,
  knowledgeBaseId: string,
  { affectsSearch, now }: { readonly affectsSearch: boolean; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('knowledge_bases')
    .set((column) => ({
      revision: column('revision', '+', affectsSearch ? 1 : 0),
      ...(affectsSearch && { updated_at: now }),
    }))
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

async function updateSource(
  transaction: Transaction,
  { source, token }: Pick<Claim, 'source' | 'token'>,
  { changes, now }: { readonly changes: SourceOutcome['changes']; readonly now: number },
): Promise<boolean> {
  const claimedSource = await transaction
    .updateTable('knowledge_sources')
    .set({ updated_at: now })
    .where('source_id', '=', source.source_id)
    .where('reading_id', '=', token)
    .where('status', '=', source.status)
    .where('generation', '=', source.generation)
    // Fails if the owner has added the crawled page during the run. The next attempt handles the change.
    .where('crawl_path', source.crawl_path === null ? 'is' : '=', source.crawl_path)
    .returning('title')
    .executeTakeFirst()
  if (claimedSource === undefined) return false
  if (changes === null) {
    await transaction.deleteFrom('knowledge_sources').where('source_id', '=', source.source_id).execute()
    return true
  }
  const { title, ...otherChanges } = changes
  await transaction
    .updateTable('knowledge_sources')
    // Keeps a title that the owner set during the run.
    .set({ ...otherChanges, ...(title !== undefined && claimedSource.title === source.title && { title }) })
    .where('source_id', '=', source.source_id)
    .execute()
  return true
}

/** Whether all ingestion runs have ended and the knowledge base has searchable content. */
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

async function executeStatements(transaction: Transaction, statements: readonly BatchStatement[]): Promise<void> {
  for (const { query } of statements) await transaction.executeQuery(query)
}
