import { isDeepStrictEqual } from 'node:util'
import type {
  Crawl,
  CreateKnowledgeBaseBody,
  KnowledgeBase,
  KnowledgeBaseSummary,
  RefreshKnowledgeBaseBody,
  SearchKnowledgeBaseBody,
  UpdateKnowledgeBaseBody,
} from '@parley/contract/knowledge-base'
import type { Passage, SearchMode } from '@parley/contract/knowledge-passage'
import type { Clock, KnowledgeSearch, MakeId } from '@parley/engine/ports'
import { checkEditCount, editFields, pickFields, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Upload } from '../../kernel/api/implement.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError, notFound, rejectProblems } from '../../kernel/errors.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import type { JobQueue } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { WebhookEvents } from '../webhooks/public.ts'
import { startCrawl } from './crawling/crawl-job.ts'
import { NO_SOURCES, selectOrphanedPageIds } from './decide-status.ts'
import { refreshBase } from './ingestion/refresh-base.ts'
import type { KnowledgeSearches } from './knowledge-ports.ts'
import {
  findBase,
  insertHiddenBase,
  type KnowledgeSettings,
  listBases,
  publishBase,
  readBase,
  requireBase,
  type StoredBase,
  saveSettings,
  toSummary,
  touchBase,
} from './knowledge-store.ts'
import {
  REMOVAL_LIMITS,
  type RemovalContext,
  type RemovalLimits,
  removeBase,
  removeHiddenBase,
  removeSources,
} from './remove-content.ts'
import { addSources } from './sources/add-sources.ts'
import { readSources } from './sources/read-sources.ts'
import { createSourceService, type SourceService } from './sources/source-service.ts'
import { countByStatus, findCrawledPages, findSourceIds } from './sources/source-store.ts'

/** Maximum duration of a request. Longer than the search's deadline. */
const DEADLINE_MS = 15_000
const RETRY_AFTER_MS = 2000

/** Returns the best passages of one knowledge base, or null if the knowledge base does not exist. */
async function searchBase(
  search: KnowledgeSearch,
  options: {
    readonly clock: Pick<Clock, 'after'>
    readonly knowledgeBaseId: string
    readonly body: SearchKnowledgeBaseBody
  },
): Promise<Passage[] | null> {
  const { clock, knowledgeBaseId, body } = options
  const controller = new AbortController()
  const timeout = Promise.withResolvers<{ ok: false; message: string }>()
  const cancelTimeout = clock.after(DEADLINE_MS, () => {
    controller.abort()
    timeout.resolve({ ok: false, message: 'The search took too long. Try again.' })
  })
  const { query, topK, filterScore } = body
  try {
    const searchPromise = search.search({
      knowledgeBaseIds: [knowledgeBaseId],
      query: [{ text: query, weight: 1 }],
      topK,
      filterScore,
      signal: controller.signal,
    })
    const outcome = await Promise.race([searchPromise, timeout.promise])
    if (!outcome.ok) throw new AppError('unavailable', outcome.message, { retryAfterMs: RETRY_AFTER_MS })
    return outcome.missing.includes(knowledgeBaseId) ? null : [...outcome.passages]
  } finally {
    cancelTimeout()
  }
}

interface KnowledgeServiceDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly jobs: Pick<JobQueue, 'enqueue'>
  readonly searches: KnowledgeSearches
  /** Hooks of other features that remove references to a deleted knowledge base. */
  readonly removals: readonly KnowledgeRemoval[]
  /** Returns the installation's current search mode. */
  readonly getSearchMode: () => SearchMode
  readonly webhooks: Pick<WebhookEvents, 'buildDeleteStatements'>
  /** Limits per transaction. A job removes the rest. */
  readonly removalLimits?: RemovalLimits
}

/** The knowledge base to change. `ifMatch` is the edit count that the caller expects, or null to accept any. */
interface KnowledgeTarget {
  readonly workspaceId: number
  readonly knowledgeBaseId: string
  readonly ifMatch: number | null
}

export interface KnowledgeService extends SourceService {
  list(workspaceId: number, page: PageRequest): Promise<Page<KnowledgeBaseSummary>>
  create(
    workspaceId: number,
    body: CreateKnowledgeBaseBody,
    uploads: readonly Upload[],
  ): Promise<WithEditCount<KnowledgeBase>>
  get(workspaceId: number, knowledgeBaseId: string): Promise<WithEditCount<KnowledgeBase>>
  update(target: KnowledgeTarget, body: UpdateKnowledgeBaseBody): Promise<WithEditCount<KnowledgeBase>>
  remove(target: KnowledgeTarget): Promise<void>
  refresh(
    workspaceId: number,
    knowledgeBaseId: string,
    body: RefreshKnowledgeBaseBody,
  ): Promise<WithEditCount<KnowledgeBase>>
  search(workspaceId: number, knowledgeBaseId: string, body: SearchKnowledgeBaseBody): Promise<Passage[]>
}

export function createKnowledgeService(dependencies: KnowledgeServiceDependencies): KnowledgeService {
  const { database, clock, jobs, makeId, removals, getSearchMode, webhooks } = dependencies
  const removal = { jobs, makeId, limits: dependencies.removalLimits ?? REMOVAL_LIMITS }

  const get = (workspaceId: number, id: string) =>
    readBase(database.read, { workspaceId, id, searchMode: getSearchMode() })

  return {
    ...createSourceService({ database, clock, makeId, jobs, removal, get }),
    get,

    async list(workspaceId, page) {
      const bases = await listBases(database.read, workspaceId, page)
      const ids = bases.items.map(({ id }) => id)
      const counts = await countByStatus(database.read, ids)
      const mode = getSearchMode()
      return {
        ...bases,
        items: bases.items.map((base) => toSummary(base, counts.get(base.id) ?? NO_SOURCES, mode)),
      }
    },

    create: async (workspaceId, body, uploads) =>
      await get(workspaceId, await createBase(dependencies, workspaceId, { body, uploads })),

    async update({ workspaceId, knowledgeBaseId: id, ifMatch }, body) {
      if (body.crawl !== undefined) checkCrawlSites(body.crawl)
      await database.transaction(async (transaction) => {
        const current = await requireBase(transaction, workspaceId, id)
        checkEditCount({ kind: 'knowledge base', id }, ifMatch, current.editCount)
        const settings = mergeSettings(current, body)
        if (settings !== null) await changeSettings(transaction, removal, { current, settings, now: clock.now() })
      })
      return await get(workspaceId, id)
    },

    remove: ({ workspaceId, knowledgeBaseId, ifMatch }) =>
      database.transaction(async (transaction) => {
        const base = await requireBase(transaction, workspaceId, knowledgeBaseId)
        checkEditCount({ kind: 'knowledge base', id: knowledgeBaseId }, ifMatch, base.editCount)
        const removedBase = { workspaceId, knowledgeBaseId, now: clock.now() }
        for (const hook of removals) await hook.removeKnowledgeBaseReferences(transaction, removedBase)
        for (const { query } of webhooks.buildDeleteStatements({ kind: 'knowledge_base', id: knowledgeBaseId })) {
          await transaction.executeQuery(query)
        }
        await removeBase(transaction, removal, knowledgeBaseId)
      }),

    async refresh(workspaceId, knowledgeBaseId, { sourceIds }) {
      await refreshSources(dependencies, { workspaceId, knowledgeBaseId, sourceIds })
      return await get(workspaceId, knowledgeBaseId)
    },

    async search(workspaceId, knowledgeBaseId, body) {
      const base = await findBase(database.read, workspaceId, knowledgeBaseId)
      const search = dependencies.searches.forWorkspace(workspaceId)
      const passages = base === null ? null : await searchBase(search, { clock, knowledgeBaseId, body })
      if (passages === null) throw notFound('knowledge base', knowledgeBaseId)
      return passages
    },
  }
}

/** Creates a knowledge base with its sources and returns its id. */
async function createBase(
  dependencies: KnowledgeServiceDependencies,
  workspaceId: number,
  { body, uploads }: { readonly body: CreateKnowledgeBaseBody; readonly uploads: readonly Upload[] },
): Promise<string> {
  const { makeId, clock, database, jobs } = dependencies
  checkCrawlSites(body.crawl)
  const sources = readSources(body.sources, uploads)
  const base = buildNewBase(makeId('knowledge_base'), workspaceId, { body, now: clock.now() })
  await database.transaction((transaction) => insertHiddenBase(transaction, base))
  const createUploadTimeoutError = () =>
    new AppError('unavailable', 'Writing the files took too long. Try again.', { retryAfterMs: 1000 })
  const addPromise = addSources(dependencies, {
    base,
    sources,
    createNotFoundError: createUploadTimeoutError,
    beforePublish: async (transaction) => {
      if (!(await publishBase(transaction, base, clock.now()))) throw createUploadTimeoutError()
      const context = { knowledgeBaseId: base.id, workspaceId, now: clock.now() }
      for (const [siteIndex, site] of base.crawl.entries()) {
        await startCrawl(transaction, { ...context, site, siteIndex }, { jobs, makeId })
      }
    },
  })
  await addPromise.catch(async (error) => {
    // If the removal fails or the process crashes, the sweep removes the hidden knowledge base.
    await removeHiddenBase(database, base.id).catch(() => undefined)
    throw error
  })
  return base.id
}

async function refreshSources(
  { database, clock, jobs, makeId }: KnowledgeServiceDependencies,
  { workspaceId, knowledgeBaseId, sourceIds }: RefreshKnowledgeBaseBody & Omit<KnowledgeTarget, 'ifMatch'>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await requireBase(transaction, workspaceId, knowledgeBaseId)
    const existingIds = await findSourceIds(transaction, knowledgeBaseId, sourceIds ?? [])
    const unknownId = sourceIds?.find((id) => !existingIds.has(id))
    if (unknownId !== undefined) throw notFound('source', unknownId)
    await refreshBase(transaction, { knowledgeBaseId, sourceIds, now: clock.now() }, { jobs, makeId })
  })
}

function buildNewBase(
  id: string,
  workspaceId: number,
  { body, now }: { readonly body: CreateKnowledgeBaseBody; readonly now: number },
): StoredBase {
  return {
    id,
    workspaceId,
    ...pickFields(SETTINGS, body),
    maxChunkSize: body.maxChunkSize,
    minChunkSize: body.minChunkSize,
    editCount: 0,
    refreshedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** Throws `invalid_request` if a site is listed twice. */
function checkCrawlSites(crawl: readonly Crawl[]): void {
  rejectProblems(
    crawl.flatMap(({ path }, index) =>
      crawl.findIndex((site) => site.path === path) < index
        ? [{ path: `crawl[${index}].path`, message: 'is listed twice' }]
        : [],
    ),
  )
}

const SETTINGS = ['name', 'description', 'enableAutoRefresh', 'refreshIntervalHours', 'crawl'] as const

/** Applies a PATCH body. Returns null if nothing changes. */
function mergeSettings(current: KnowledgeSettings, body: UpdateKnowledgeBaseBody): KnowledgeSettings | null {
  const currentSettings = pickFields(SETTINGS, current)
  const newSettings = editFields(SETTINGS, currentSettings, body)
  return isDeepStrictEqual(currentSettings, newSettings) ? null : newSettings
}

/** Stores an edit, removes the pages of removed sites, and starts crawling new sites. */
async function changeSettings(
  transaction: Transaction,
  removal: RemovalContext,
  edit: { readonly current: StoredBase; readonly settings: KnowledgeSettings; readonly now: number },
): Promise<void> {
  const { current, settings, now } = edit
  const knowledgeBaseId = current.id
  await saveSettings(transaction, current, settings, now)
  if (isDeepStrictEqual(current.crawl, settings.crawl)) return
  const crawledPages = await findCrawledPages(transaction, knowledgeBaseId)
  const orphanedIds = selectOrphanedPageIds(crawledPages, settings.crawl)
  if (orphanedIds.length > 0) {
    await touchBase(transaction, knowledgeBaseId, { now, affectsSearch: true })
    await removeSources(transaction, removal, { knowledgeBaseId, sourceIds: orphanedIds })
  }
  for (const [siteIndex, site] of settings.crawl.entries()) {
    if (current.crawl.some((crawledSite) => isDeepStrictEqual(crawledSite, site))) continue
    await startCrawl(transaction, { knowledgeBaseId, workspaceId: current.workspaceId, site, siteIndex, now }, removal)
  }
}

/** Removes references to a knowledge base within the transaction that deletes the knowledge base. */
export interface KnowledgeRemoval {
  removeKnowledgeBaseReferences(
    transaction: Transaction,
    base: { readonly workspaceId: number; readonly knowledgeBaseId: string; readonly now: number },
  ): Promise<void>
}
