import type { KnowledgeOutcome, KnowledgeRequest } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createJobQueue } from '../../platform/queue/job-queue.ts'
import type { KnowledgeBaseRow, KnowledgeChunkRow, KnowledgeSourceRow } from '../../tables/knowledge-tables.ts'
import { createSequentialIds } from '../features-test-kit.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { createKnowledgeCleanup } from './knowledge-cleanup.ts'
import type { KnowledgeSearches } from './knowledge-ports.ts'
import { registerKnowledgeRoutes } from './knowledge-routes.ts'
import { createKnowledgeService } from './knowledge-service.ts'
import type { RemovalLimits } from './remove-content.ts'

export function buildKnowledgeBaseRow(knowledge_base_id: string, workspace_id = 1): KnowledgeBaseRow {
  const refreshes = { auto_refresh: 0 as const, refresh_hours: 24, refreshed_at: null, refresh_due_at: null }
  const counts = { revision: 0, edit_count: 1, max_chunk_size: 2000, min_chunk_size: 400 }
  const names = { name: 'Help', description: '', crawl: '[]', created_at: 0, updated_at: 0 }
  return { knowledge_base_id, workspace_id, ...refreshes, ...counts, ...names }
}

/** Column values and passages of an ingested source. */
interface ReadFields extends Partial<KnowledgeSourceRow> {
  readonly chunks?: readonly Partial<KnowledgeChunkRow>[]
}

/** Serves knowledge bases over HTTP on a database with workspaces 1 and 2. Tests store the ingestion results. */
export async function openKnowledge(options: { readonly removalLimits?: RemovalLimits } = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock()
  const { clock } = time
  const makeId = createSequentialIds()
  const jobs = createJobQueue({ database, clock: createSharedClock(clock), makeId })
  const searchRequests: (KnowledgeRequest & { workspaceId: number })[] = []
  const removedBases: object[] = []
  const deletedSubjects: object[] = []
  const stubs: { search: () => Promise<KnowledgeOutcome> } = {
    search: async () => ({ ok: true, passages: [], mode: 'lexical', missing: [] }),
  }
  const searches: KnowledgeSearches = {
    forWorkspace: (workspaceId) => ({
      search: (request) => {
        searchRequests.push({ ...request, workspaceId })
        return stubs.search()
      },
    }),
  }
  const service = createKnowledgeService({
    database,
    clock: createSharedClock(clock),
    makeId,
    jobs,
    searches,
    removals: [{ removeKnowledgeBaseReferences: async (_transaction, removal) => void removedBases.push(removal) }],
    getSearchMode: () => 'lexical',
    webhooks: {
      buildDeleteStatements: (subject) => {
        deletedSubjects.push(subject)
        return []
      },
    },
    ...options,
  })
  const routes = openRoutes({ database, clock, makeId }, (api) => registerKnowledgeRoutes(api, service))
  const cleanup = createKnowledgeCleanup({ database, clock: createSharedClock(clock) })

  async function runJob(kind: string, payload = {}): Promise<void> {
    const job = { jobId: 'job', kind, payload, attempt: 1, maxAttempts: 1 }
    await cleanup.handlers[kind]?.run(job, new AbortController().signal)
  }

  return {
    ...{ database, time, makeId, service, searchRequests, removedBases, deletedSubjects, stubs, runJob, routes },
    send: routes.send,
    ...createFormActions(routes),
    ...createStoredReaders(database),
    ...createWriters(database),
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}

function createFormActions({ send }: Pick<ReturnType<typeof openRoutes>, 'send'>) {
  return {
    /** Sends fields and files as a form does. */
    sendForm: async (
      requestLine: string,
      fields: object,
      files: readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[],
    ) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) {
        form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
      }
      for (const [name, content] of files) form.append('files', new Blob([content]), name)
      const response = new Response(form)
      const type = response.headers.get('content-type') ?? ''
      return await send(requestLine, Buffer.from(await response.arrayBuffer()), { 'content-type': type })
    },
    addBase: async (body: object = {}): Promise<string> =>
      (await send('POST /api/knowledge-bases', { workspaceId: 1, name: 'Manuals', ...body })).body.knowledgeBaseId,
  }
}

function createStoredReaders({ read }: Pick<Database, 'read'>) {
  return {
    /** Returns all rows of a table, including hidden rows. */
    readRows: async (table: 'knowledge_sources' | 'knowledge_originals' | 'knowledge_chunks' | 'knowledge_vectors') =>
      await read.selectFrom(table).selectAll().execute(),
    readSource: (sourceId: string) =>
      read.selectFrom('knowledge_sources').selectAll().where('source_id', '=', sourceId).executeTakeFirst(),
    readBase: (id: string) =>
      read.selectFrom('knowledge_bases').selectAll().where('knowledge_base_id', '=', id).executeTakeFirst(),
    /** Returns kinds and payloads of the queued jobs, in order. */
    readJobs: async () => {
      const jobRows = await read.selectFrom('jobs').select(['kind', 'payload']).orderBy('job_id').execute()
      return jobRows.map(({ kind, payload }) => ({ kind, ...(JSON.parse(payload) as object) }))
    },
  }
}

function createWriters(database: Pick<Database, 'transaction'>) {
  return {
    /** Stores the result of an ingestion run. */
    finishIngestion: (sourceId: string, { chunks = [], ...fields }: ReadFields = {}) =>
      database.transaction(async (transaction) => {
        const generation = fields.generation ?? (chunks.length > 0 ? 1 : 0)
        const state = { status: 'ready', ...fields, generation, chunk_count: chunks.length }
        await transaction.updateTable('knowledge_sources').set(state).where('source_id', '=', sourceId).execute()
        for (const [position, chunk] of chunks.entries()) {
          const content = { page: null, headings: '[]', text: `Passage ${position}`, content_hash: `hash ${position}` }
          const row = { source_id: sourceId, generation, position, ...content, ...chunk }
          await transaction.insertInto('knowledge_chunks').values(row).execute()
        }
      }),
    addVectors: (knowledgeBaseId: string, ...hashes: readonly string[]) =>
      database.transaction(async (transaction) => {
        for (const content_hash of hashes) {
          const row = { knowledge_base_id: knowledgeBaseId, model: 'm', content_hash, vector: 'AAAA' }
          await transaction.insertInto('knowledge_vectors').values(row).execute()
        }
      }),
  }
}
