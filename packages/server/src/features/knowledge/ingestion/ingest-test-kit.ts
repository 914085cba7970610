import { createHash } from 'node:crypto'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { seedWorkspaces } from '../../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../../testing/temporary-database.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Job } from '../../../kernel/work/jobs.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { createJobQueue } from '../../../platform/queue/job-queue.ts'
import type { KnowledgeBaseRow, KnowledgeSourceRow } from '../../../tables/knowledge-tables.ts'
import { aroundWrites, createSequentialIds } from '../../features-test-kit.ts'
import type { NewWebhookEvent, WebhookEvents } from '../../webhooks/webhook-ports.ts'
import type {
  DocumentPreparer,
  Embedder,
  FetchedPage,
  PreparedDocument,
  SitemapResult,
  WebPageFetcher,
} from '../knowledge-ports.ts'
import { buildKnowledgeBaseRow } from '../knowledge-test-kit.ts'
import { buildContentIdentity, buildUrlIdentity } from '../sources/read-sources.ts'
import { buildUnreadSource } from '../sources/stage-content.ts'
import type { IngestionDependencies } from './ingest-job.ts'
import { buildIngestJob } from './ingest-job.ts'
import { createIngestion } from './ingestion.ts'

const EVENT_JOB = 'published-event'
export const BASE = 'knowledge_base_1'

/** A page in tests: its text, or the result of fetching the page. */
export type TestPage = string | { readonly text: string; readonly url?: string; readonly etag?: string } | FetchedPage

export const GONE: FetchedPage = {
  ok: false,
  reason: 'gone',
  message: 'There is no such page (404).',
  retryable: false,
}
export const DOWN: FetchedPage = {
  ok: false,
  reason: 'failed',
  message: 'The site responds with 503.',
  retryable: true,
}

/** The simulated outside world, which tests may change. */
interface TestScenario {
  readonly pages: Map<string, TestPage>
  readonly sitemaps: Map<string, SitemapResult>
  /** URLs in fetch order. */
  readonly fetched: string[]
  /** Number of times a document was read. */
  prepared: number
  /** Called while a document is being read. */
  whilePreparing: () => Promise<void>
}

/**
 * Prepares texts as documents: paragraphs are passages, lines `link: …` are links, the first line `# …` is the title. `BROKEN`
 * cannot be read. `SLOW` can be read on a retry.
 */
function createTestDocuments(scenario: TestScenario): DocumentPreparer {
  return {
    async prepare({ bytes, title }) {
      scenario.prepared += 1
      const text = Buffer.from(bytes).toString()
      await scenario.whilePreparing()
      if (text.includes('SLOW')) return { ok: false, message: 'It took too long.', retryable: true }
      if (text.includes('BROKEN')) return { ok: false, message: 'The document is broken.', retryable: false }
      return prepareText(text, title)
    },
  }
}

function prepareText(text: string, givenTitle: string): PreparedDocument {
  const title = givenTitle || (/^# (.+)$/m.exec(text)?.[1] ?? '')
  const links = [...text.matchAll(/^link: (.+)$/gm)].map((match) => match[1] ?? '')
  const paragraphs = text
    .replace(/^(?:link: |# |nonce: ).*$/gm, '')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
  const chunks = paragraphs.map((paragraph, position) => ({
    position,
    headings: ['Prices'],
    page: null,
    text: paragraph,
    contentHash: hashSha256(`${title}\n${paragraph}`),
  }))
  const segment = Buffer.from(JSON.stringify(paragraphs))
  return {
    ok: true,
    contentType: 'text/plain',
    title,
    pageCount: null,
    characters: text.length,
    chunks,
    segment,
    links,
  }
}

function createTestPages(scenario: TestScenario): WebPageFetcher {
  return {
    async fetch(url, { etag }) {
      scenario.fetched.push(url)
      const page = scenario.pages.get(url) ?? GONE
      if (typeof page === 'object' && 'ok' in page) return page
      const { text, url: finalUrl = url, etag: current = null } = typeof page === 'string' ? { text: page } : page
      if (etag !== null && etag === current) return { ok: true, changed: false }
      const validators = { etag: current, lastModified: null }
      return { ok: true, changed: true, url: finalUrl, bytes: Buffer.from(text), contentType: 'text/html', validators }
    },
    readSitemap: async (url) =>
      scenario.sitemaps.get(url) ?? { ok: false, message: 'There is no sitemap.', retryable: false },
  }
}

/** Creates an embedder whose vectors encode the text length. `responses` queues responses, one per request. */
export function createTestEmbedder(model = 'model-1') {
  const responses: (Awaited<ReturnType<Embedder['embed']>> | null)[] = []
  const texts: string[] = []
  const embedder: Embedder = {
    model,
    batchSize: 2,
    async embed(inputs) {
      const response = responses.shift() ?? null
      if (response !== null) return response
      texts.push(...inputs)
      return { ok: true, vectors: inputs.map((text) => Float32Array.of(text.length, 1)) }
    },
  }
  return { embedder, responses, texts }
}

export type TestIngestion = Awaited<ReturnType<typeof openIngestion>>

/** Opens ingestion on a real database in virtual time, with a simulated outside world and a worker for due jobs. */
export async function openIngestion(options: { readonly embedder?: Embedder } = {}) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock()
  const { clock } = time
  const makeId = createSequentialIds()
  const jobs = createJobQueue({ database, clock: createSharedClock(clock), makeId })
  const scenario: TestScenario = {
    pages: new Map(),
    sitemaps: new Map(),
    fetched: [],
    prepared: 0,
    whilePreparing: async () => undefined,
  }
  const webhooks: Pick<WebhookEvents, 'buildStatements'> = {
    buildStatements: async (event) => [
      jobs.buildEnqueueStatement({ kind: EVENT_JOB, payload: JSON.parse(JSON.stringify(event)) }),
    ],
  }
  const logged: string[] = []
  const dependencies: IngestionDependencies = {
    database,
    clock: createSharedClock(clock),
    makeId,
    jobs,
    documents: createTestDocuments(scenario),
    pages: createTestPages(scenario),
    embedder: options.embedder ?? null,
    buildEmbeddingText: (title, chunk) => [title, ...chunk.headings, chunk.text].join('\n'),
    webhooks,
    logError: (name, error) => void logged.push(`${name}: ${String(error)}`),
  }

  return {
    ...dependencies,
    database,
    dependencies,
    time,
    scenario,
    logged,
    ...createRowWriters(dependencies),
    /** Runs all due jobs and the jobs they create, in order. */
    run: (changes: Partial<IngestionDependencies> = {}) => runDueJobs({ ...dependencies, ...changes }),
    /** Advances time and runs due jobs, respecting their delays. */
    async advance(durationMs: number, changes: Partial<IngestionDependencies> = {}) {
      await time.advance(durationMs)
      await runDueJobs({ ...dependencies, ...changes })
    },
    ...createRowReaders(database),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

function createRowWriters({ database, clock, makeId, jobs }: IngestionDependencies) {
  const change = async (query: { compile(): Parameters<Database['batch']>[0][number]['query'] }) =>
    await database.batch([{ query: query.compile() }])

  async function addBase(columns: Partial<KnowledgeBaseRow> = {}): Promise<string> {
    const row = buildBase(columns, clock.now())
    await change(database.queryBuilder.insertInto('knowledge_bases').values(row))
    return row.knowledge_base_id
  }

  /** Adds a source and its job, as a request does. */
  async function addSource(columns: Partial<KnowledgeSourceRow>, parts: readonly string[] = []): Promise<string> {
    const sourceId = makeId('source')
    const row = buildNewSource(sourceId, columns, clock.now())
    await database.transaction(async (transaction) => {
      await transaction.insertInto('knowledge_sources').values(row).execute()
      for (const [part, text] of parts.entries()) {
        const content = Buffer.from(text).toString('base64')
        await transaction
          .insertInto('knowledge_originals')
          .values({ source_id: row.source_id, part, content })
          .execute()
      }
      if (row.status === 'processing') await jobs.enqueue(transaction, buildIngestJob(row.source_id, row.reading_id))
    })
    return row.source_id
  }

  return {
    change,
    addBase,
    addSource,
    addText: (text: string, columns: Partial<KnowledgeSourceRow> = {}) =>
      addSource({ kind: 'text', identity: buildContentIdentity(hashSha256(text)), ...columns }, [text]),
    addPage: (url: string, columns: Partial<KnowledgeSourceRow> = {}) =>
      addSource({ kind: 'url', url, identity: buildUrlIdentity(url), ...columns }),
  }
}

/** Runs due jobs in order and writes their results. Stops at the first crash. */
async function runDueJobs(dependencies: IngestionDependencies): Promise<void> {
  const { database, clock } = dependencies
  const { handlers } = createIngestion(dependencies)
  for (;;) {
    const row = await database.read
      .selectFrom('jobs')
      .selectAll()
      .where('status', 'in', ['pending', 'running'])
      .where('kind', 'in', Object.keys(handlers))
      .where('run_at', '<=', clock.now())
      .orderBy('run_at')
      .orderBy('job_id')
      .limit(1)
      .executeTakeFirst()
    const handler = row === undefined ? undefined : handlers[row.kind]
    if (row === undefined || handler === undefined) return
    const attempt = row.attempts + 1
    const updateJob = (columns: object) =>
      database.batch([
        { query: database.queryBuilder.updateTable('jobs').set(columns).where('job_id', '=', row.job_id).compile() },
      ])
    await updateJob({ status: 'running', attempts: attempt })
    const { job_id: jobId, kind, max_attempts: maxAttempts } = row
    const job: Job = { jobId, kind, payload: JSON.parse(row.payload), attempt, maxAttempts }
    try {
      await handler.run(job, new AbortController().signal)
    } catch (error) {
      if (error instanceof ProcessCrashError) throw error
      const delayMs = handler.retryDelayMs?.(attempt) ?? 1_000
      await updateJob(
        attempt < maxAttempts ? { status: 'pending', run_at: clock.now() + delayMs } : { status: 'failed' },
      )
      continue
    }
    await updateJob({ status: 'done' })
  }
}

/** Thrown to simulate a process crash. */
export class ProcessCrashError extends Error {}

/** Wraps a database so that the process crashes at the n-th write. The write is committed, but its response is lost. */
export function createCrashingDatabase(database: Database, crashWrite: number): Database {
  let writes = 0
  return aroundWrites(database, async (write) => {
    writes += 1
    if (writes > crashWrite) throw new ProcessCrashError()
    const result = await write()
    if (writes === crashWrite) throw new ProcessCrashError()
    return result
  })
}

function createRowReaders({ read }: Pick<Database, 'read'>) {
  const readJobRows = async (kind: string) =>
    await read.selectFrom('jobs').selectAll().where('kind', '=', kind).orderBy('job_id').execute()
  return {
    readBase: async (id = BASE): Promise<KnowledgeBaseRow> =>
      await read
        .selectFrom('knowledge_bases')
        .selectAll()
        .where('knowledge_base_id', '=', id)
        .executeTakeFirstOrThrow(),
    readSource: async (id: string): Promise<KnowledgeSourceRow | undefined> =>
      await read.selectFrom('knowledge_sources').selectAll().where('source_id', '=', id).executeTakeFirst(),
    readSources: async (): Promise<KnowledgeSourceRow[]> =>
      await read.selectFrom('knowledge_sources').selectAll().orderBy('identity').execute(),
    /** Returns the searchable texts. */
    async readTexts(): Promise<string[]> {
      const rows = await read
        .selectFrom('knowledge_chunks as chunk')
        .innerJoin('knowledge_sources as source', (join) =>
          join.onRef('chunk.source_id', '=', 'source.source_id').onRef('chunk.generation', '=', 'source.generation'),
        )
        .select('chunk.text')
        .orderBy('source.identity')
        .orderBy('chunk.position')
        .execute()
      return rows.map(({ text }) => text)
    },
    readChunks: async () =>
      await read
        .selectFrom('knowledge_chunks')
        .selectAll()
        .orderBy('source_id')
        .orderBy('generation')
        .orderBy('position')
        .execute(),
    readParts: async () =>
      await read
        .selectFrom('knowledge_index_parts')
        .selectAll()
        .orderBy('source_id')
        .orderBy('generation')
        .orderBy('part')
        .execute(),
    readOriginals: async () =>
      await read.selectFrom('knowledge_originals').selectAll().orderBy('source_id').orderBy('part').execute(),
    readVectors: async () =>
      await read.selectFrom('knowledge_vectors').selectAll().orderBy('model').orderBy('content_hash').execute(),
    jobRows: readJobRows,
    readPublishedEvents: async (): Promise<NewWebhookEvent[]> =>
      (await readJobRows(EVENT_JOB)).map(({ payload }) => JSON.parse(payload)),
  }
}

function hashSha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function buildBase(columns: Partial<KnowledgeBaseRow>, now: number): KnowledgeBaseRow {
  return { ...buildKnowledgeBaseRow(BASE), created_at: now, updated_at: now, ...columns }
}

function buildNewSource(sourceId: string, columns: Partial<KnowledgeSourceRow>, now: number): KnowledgeSourceRow {
  const ids = { source_id: sourceId, knowledge_base_id: BASE, workspace_id: 1, reading_id: sourceId }
  return buildUnreadSource({ ...ids, kind: 'text', identity: `sha256:${sourceId}`, ...columns }, now)
}
