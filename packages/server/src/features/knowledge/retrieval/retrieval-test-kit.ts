import { createHash } from 'node:crypto'
import type { Clock, KnowledgeOutcome, KnowledgeRequest } from '@parley/engine/ports'
import { buildSegment } from '@parley/retrieval/lexical/build-segment'
import { seedWorkspaces } from '../../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import { createIndexWorker } from '../../../integrations/retrieval/create-index-worker.ts'
import type { Database, Transaction } from '../../../kernel/storage/database.ts'
import { systemClock } from '../../../platform/system.ts'
import type { KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import type { Embedder } from '../knowledge-ports.ts'
import { buildKnowledgeBaseRow } from '../knowledge-test-kit.ts'
import { buildUnreadSource } from '../sources/stage-content.ts'
import type { IndexThread, IndexWorker } from './index-worker.ts'
import { createRetrieval, type Retrieval, type RetrievalOptions } from './retrieval.ts'

/** A source in tests. Its texts are its passages. */
interface TestSource {
  readonly texts: readonly string[]
  readonly fields?: Partial<KnowledgeSourceRow>
  readonly generation?: number
  readonly page?: number | null
  readonly headings?: readonly string[]
  /** Replaces the prepared index. Null removes the index. */
  readonly segment?: Uint8Array | null
}

const PART_BYTES = 768 * 1024
const ROW_BATCH_SIZE = 100

/** Creates a writer of knowledge bases that works as ingestion does: one transaction per change, including the revision. */
function createKnowledgeWriter(database: Database) {
  return {
    async addBase(id: string, workspaceId = 1): Promise<void> {
      await database.transaction((transaction) =>
        transaction.insertInto('knowledge_bases').values(buildKnowledgeBaseRow(id, workspaceId)).execute(),
      )
    },

    /** Adds a source, or updates it with a higher `generation`. */
    async putSource(baseId: string, sourceId: string, source: TestSource): Promise<void> {
      await database.transaction(async (transaction) => {
        const base = await transaction
          .selectFrom('knowledge_bases')
          .select('workspace_id')
          .where('knowledge_base_id', '=', baseId)
          .executeTakeFirstOrThrow()
        const row = { ...buildSourceRow(sourceId, source), knowledge_base_id: baseId, ...base, ...source.fields }
        const { generation, chunk_count } = row
        await transaction
          .insertInto('knowledge_sources')
          .values(row)
          .onConflict((conflict) => conflict.column('source_id').doUpdateSet({ generation, chunk_count }))
          .execute()
        await removeContent(transaction, sourceId)
        await writeContent(transaction, row, source)
        await incrementRevision(transaction, baseId)
      })
    },

    async deleteSource(baseId: string, sourceId: string): Promise<void> {
      await database.transaction(async (transaction) => {
        await transaction.deleteFrom('knowledge_sources').where('source_id', '=', sourceId).execute()
        await incrementRevision(transaction, baseId)
      })
    },

    /** Adds missing vectors to the passages of a base. */
    embedBase: (baseId: string, embedder: Embedder): Promise<void> => embedBase(database, baseId, embedder),
  }
}

async function embedBase(database: Database, baseId: string, embedder: Embedder): Promise<void> {
  const chunks = await database.read
    .selectFrom('knowledge_chunks as c')
    .innerJoin('knowledge_sources as s', 's.source_id', 'c.source_id')
    .select(['c.content_hash', 'c.text'])
    .where('s.knowledge_base_id', '=', baseId)
    .execute()
  const embedded = await embedder.embed(
    chunks.map(({ text }) => text),
    new AbortController().signal,
  )
  if (!embedded.ok) throw new Error(embedded.message)
  const rows = chunks.map(({ content_hash }, index) => ({
    knowledge_base_id: baseId,
    model: embedder.model,
    content_hash,
    vector: encodeBase64(embedded.vectors[index] ?? new Float32Array()),
  }))
  await database.transaction(async (transaction) => {
    for (const values of splitIntoPages(rows)) {
      await transaction
        .insertInto('knowledge_vectors')
        .values(values)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    await incrementRevision(transaction, baseId)
  })
}

/** Creates a scripted in-memory embedder that counts its requests. */
export function createScriptedEmbedder(
  createVector: (text: string) => Float32Array,
): Embedder & { readonly requestedTexts: string[]; failure: Awaited<ReturnType<Embedder['embed']>> | 'hang' | null } {
  const embedder = {
    model: 'test-embedding',
    batchSize: 64,
    requestedTexts: [] as string[],
    failure: null as Awaited<ReturnType<Embedder['embed']>> | 'hang' | null,
    embed(texts: readonly string[]): ReturnType<Embedder['embed']> {
      embedder.requestedTexts.push(...texts)
      if (embedder.failure === 'hang') return Promise.withResolvers<never>().promise
      return Promise.resolve(
        embedder.failure ?? { ok: true, vectors: texts.map((text) => toUnitVector(createVector(text))) },
      )
    },
  }
  return embedder
}

/** A node on the shared database. */
export interface TestNode extends AsyncDisposable {
  readonly retrieval: Retrieval
  readonly worker: ObservedWorker
  readonly errors: string[]
  search(
    query: string,
    request?: Partial<KnowledgeRequest> & { readonly workspaceId?: number },
  ): Promise<KnowledgeOutcome>
  /** Returns the texts of the matches. Fails the test if the search fails. */
  findTexts(query: string, request?: Partial<KnowledgeRequest>): Promise<readonly string[]>
}

interface ObservedWorker extends IndexWorker {
  /** Names of thread requests, in order. */
  readonly calls: string[]
  /** Number of started threads. */
  readonly threads: number
  /** Called before each request; may delay it or change the database. */
  beforeCall: (call: string) => Promise<void>
  /** Ends the thread as a crash would. */
  crash(): Promise<void>
}

/** Opens one database for any number of nodes, with real threads, and in real time unless a clock is given. */
export async function openKnowledge() {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const nodes: TestNode[] = []
  return {
    database,
    writer: createKnowledgeWriter(database),
    startNode(options: Partial<RetrievalOptions> = {}): TestNode {
      const node = startNode({ database, ...options })
      nodes.push(node)
      return node
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()))
      await database[Symbol.asyncDispose]()
    },
  }
}

function startNode(options: Partial<RetrievalOptions> & Pick<RetrievalOptions, 'database'>): TestNode {
  const errors: string[] = []
  const worker = createObservedWorker(options.clock ?? systemClock)
  const retrieval = createRetrieval({
    clock: systemClock,
    embedder: null,
    index: worker,
    // Long enough for a busy machine.
    deadlineMs: 15_000,
    logError: (name, error) => void errors.push(`${name}: ${error instanceof Error ? error.message : ''}`),
    ...options,
  })
  const search: TestNode['search'] = (query, { workspaceId = 1, ...request } = {}) =>
    retrieval.forWorkspace(workspaceId).search({
      knowledgeBaseIds: ['base'],
      query: [{ text: query, weight: 1 }],
      topK: 3,
      filterScore: 0,
      signal: new AbortController().signal,
      ...request,
    })
  return {
    retrieval,
    worker,
    errors,
    search,
    async findTexts(query, request) {
      const outcome = await search(query, request)
      if (!outcome.ok) throw new Error(outcome.message)
      return outcome.passages.map(({ text }) => text)
    },
    [Symbol.asyncDispose]: () => retrieval.close(),
  }
}

function createObservedWorker(clock: Clock): ObservedWorker {
  const worker = createIndexWorker({ clock })
  const observedThreads = new WeakMap<IndexThread, IndexThread>()
  const observed = {
    calls: [] as string[],
    threads: 0,
    beforeCall: (_call: string): Promise<void> => Promise.resolve(),
    getThread(): IndexThread {
      const thread = worker.getThread()
      const existingThread = observedThreads.get(thread)
      if (existingThread !== undefined) return existingThread
      observed.threads += 1
      const observedThread = observeThread(thread, observed)
      observedThreads.set(thread, observedThread)
      return observedThread
    },
    close: () => worker.close(),
    async crash(): Promise<void> {
      const thread = worker.getThread()
      if ('terminate' in thread && typeof thread.terminate === 'function') await thread.terminate()
    },
  }
  return observed
}

function observeThread(thread: IndexThread, observed: Pick<ObservedWorker, 'calls' | 'beforeCall'>): IndexThread {
  const observeCall =
    <Args extends unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      observed.calls.push(name)
      await observed.beforeCall(name)
      return await call(...args)
    }
  return {
    get isLost() {
      return thread.isLost
    },
    add: observeCall('add', (...args) => thread.add(...args)),
    build: observeCall('build', (...args) => thread.build(...args)),
    addVectors: observeCall('addVectors', (...args) => thread.addVectors(...args)),
    remove: observeCall('remove', (...args) => thread.remove(...args)),
    drop: observeCall('drop', (...args) => thread.drop(...args)),
    search: observeCall('search', (...args) => thread.search(...args)),
  }
}

async function incrementRevision(transaction: Transaction, baseId: string): Promise<void> {
  await transaction
    .updateTable('knowledge_bases')
    .set(({ eb }) => ({ revision: eb('revision', '+', 1) }))
    .where('knowledge_base_id', '=', baseId)
    .execute()
}

async function removeContent(transaction: Transaction, sourceId: string): Promise<void> {
  await transaction.deleteFrom('knowledge_chunks').where('source_id', '=', sourceId).execute()
  await transaction.deleteFrom('knowledge_index_parts').where('source_id', '=', sourceId).execute()
}

async function writeContent(
  transaction: Transaction,
  { source_id, generation, title, filename }: KnowledgeSourceRow,
  { texts, page = null, headings = [], segment }: TestSource,
): Promise<void> {
  const chunks = texts.map((text, position) => ({ position, title: title || filename, headings, text }))
  const rows = chunks.map(({ position, text }) => {
    const content_hash = createHash('sha256').update(text).digest('hex')
    return { source_id, generation, position, page, headings: JSON.stringify(headings), text, content_hash }
  })
  for (const values of splitIntoPages(rows)) await transaction.insertInto('knowledge_chunks').values(values).execute()
  const bytes = segment === undefined ? buildSegment(chunks) : segment
  for (let part = 0; bytes !== null && part * PART_BYTES < bytes.length; part += 1) {
    const content = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)).toString('base64')
    await transaction.insertInto('knowledge_index_parts').values({ source_id, generation, part, content }).execute()
  }
}

function splitIntoPages<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const count = Math.ceil(rows.length / ROW_BATCH_SIZE)
  return Array.from({ length: count }, (_, page) => rows.slice(page * ROW_BATCH_SIZE, (page + 1) * ROW_BATCH_SIZE))
}

function buildSourceRow(source_id: string, { texts, generation = 1 }: TestSource) {
  const ids = { source_id, knowledge_base_id: '', workspace_id: 1, reading_id: 'reading' }
  const state = { status: 'ready', chunk_count: texts.length, generation }
  return buildUnreadSource({ ...ids, kind: 'text', identity: source_id, ...state }, 0)
}

function toUnitVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, component) => sum + component * component, 0))
  return vector.map((component) => component / length)
}

function encodeBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}
