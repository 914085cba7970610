import type {
  CreateKnowledgeBaseBody,
  KnowledgeBase,
  KnowledgeBaseSummary,
  RefreshKnowledgeBaseBody,
  SearchKnowledgeBaseBody,
  UpdateKnowledgeBaseBody,
} from '@parley/contract/knowledge-base'
import type { Passage, SearchMode } from '@parley/contract/knowledge-passage'
import type { MakeId } from '@parley/engine/ports'
import { checkEditCount, type WithEditCount } from '../../kernel/api/edits.ts'
import type { Upload } from '../../kernel/api/implement.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { JobQueue } from '../../kernel/work/jobs.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { WebhookEvents } from '../webhooks/public.ts'
import { changeSettings, checkCrawl, decideSettings } from './change-settings.ts'
import { startSite } from './crawling/crawl-start.ts'
import { NO_SOURCES } from './decide-status.ts'
import { refreshBase } from './ingestion/refresh-base.ts'
import type { KnowledgeSearches } from './knowledge-ports.ts'
import type { KnowledgeRemoval } from './knowledge-removal.ts'
import { findBase, insertHiddenBase, listBases, type StoredBase, showBase, toSummary } from './knowledge-store.ts'
import { readBase, requireBase } from './read-base.ts'
import { REMOVAL_LIMITS, type RemovalLimits, removeBase, removeHiddenBase } from './remove-content.ts'
import { searchBase } from './search-base.ts'
import { addSources } from './sources/add-sources.ts'
import { readSources } from './sources/read-sources.ts'
import { createSourceService, type SourceService } from './sources/source-service.ts'
import { countByStatus, findSourceIds } from './sources/source-store.ts'

export interface KnowledgeServiceDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly jobs: Pick<JobQueue, 'enqueue'>
  readonly searches: KnowledgeSearches
  /** Who lets go of a knowledge base that is deleted. */
  readonly removals: readonly KnowledgeRemoval[]
  /** How searches are done as the installation is configured now. */
  readonly searchMode: () => SearchMode
  readonly webhooks: Pick<WebhookEvents, 'deleteEventsOf'>
  /** What a unit of work removes at most; a job removes the rest. */
  readonly removalLimits?: RemovalLimits
}

/** A knowledge base that a caller names. `ifMatch` is the edit count it knows; `null` takes any. */
export interface KnowledgeTarget {
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
  const { database, clock, jobs, makeId, removals, searchMode, webhooks } = dependencies
  const removal = { jobs, makeId, limits: dependencies.removalLimits ?? REMOVAL_LIMITS }

  const get = (workspaceId: number, id: string) =>
    readBase(database.read, { workspaceId, id, searchMode: searchMode() })

  return {
    ...createSourceService({ database, clock, makeId, jobs, removal, get }),
    get,

    async list(workspaceId, page) {
      const found = await listBases(database.read, workspaceId, page)
      const ids = found.items.map(({ id }) => id)
      const counts = await countByStatus(database.read, ids)
      const mode = searchMode()
      return { ...found, items: found.items.map((base) => toSummary(base, counts.get(base.id) ?? NO_SOURCES, mode)) }
    },

    create: async (workspaceId, body, uploads) =>
      await get(workspaceId, await createBase(dependencies, workspaceId, { body, uploads })),

    async update({ workspaceId, knowledgeBaseId: id, ifMatch }, body) {
      if (body.crawl !== undefined) checkCrawl(body.crawl)
      await database.transaction(async (transaction) => {
        const current = await requireBase(transaction, workspaceId, id)
        checkEditCount({ what: 'knowledge base', id }, ifMatch, current.editCount)
        const decided = decideSettings(current, body)
        if (decided !== null) await changeSettings(transaction, removal, { current, decided, now: clock.now() })
      })
      return await get(workspaceId, id)
    },

    remove: ({ workspaceId, knowledgeBaseId, ifMatch }) =>
      database.transaction(async (transaction) => {
        const base = await requireBase(transaction, workspaceId, knowledgeBaseId)
        checkEditCount({ what: 'knowledge base', id: knowledgeBaseId }, ifMatch, base.editCount)
        const removed = { workspaceId, knowledgeBaseId, now: clock.now() }
        for (const feature of removals) await feature.knowledgeBaseRemoved(transaction, removed)
        for (const { query } of webhooks.deleteEventsOf({ kind: 'knowledge_base', id: knowledgeBaseId })) {
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

/** Answers the id of the new knowledge base. */
async function createBase(
  dependencies: KnowledgeServiceDependencies,
  workspaceId: number,
  { body, uploads }: { readonly body: CreateKnowledgeBaseBody; readonly uploads: readonly Upload[] },
): Promise<string> {
  const { makeId, clock, database, jobs } = dependencies
  checkCrawl(body.crawl)
  const requested = readSources(body.sources, uploads)
  const base = newBase(makeId('knowledge_base'), workspaceId, { body, now: clock.now() })
  await database.transaction((transaction) => insertHiddenBase(transaction, base))
  const uploadTimeout = () =>
    new AppError('unavailable', 'Writing the files took too long. Try again.', { retryAfterMs: 1000 })
  const adding = addSources(dependencies, {
    base,
    requested,
    missing: uploadTimeout,
    check: async (transaction) => {
      if (!(await showBase(transaction, base, clock.now()))) throw uploadTimeout()
      const site = { knowledgeBaseId: base.id, workspaceId, now: clock.now() }
      for (const [siteIndex, one] of base.crawl.entries()) {
        await startSite(transaction, { ...site, site: one, siteIndex }, { jobs, makeId })
      }
    },
  })
  await adding.catch(async (error) => {
    // Failing here, or dying before, leaves it to the sweep.
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
    const found = await findSourceIds(transaction, knowledgeBaseId, sourceIds ?? [])
    const unknown = sourceIds?.find((id) => !found.has(id))
    if (unknown !== undefined) throw notFound('source', unknown)
    await refreshBase(transaction, { knowledgeBaseId, sourceIds, now: clock.now() }, { jobs, makeId })
  })
}

function newBase(
  id: string,
  workspaceId: number,
  { body, now }: { readonly body: CreateKnowledgeBaseBody; readonly now: number },
): StoredBase {
  return {
    id,
    workspaceId,
    name: body.name,
    description: body.description,
    enableAutoRefresh: body.enableAutoRefresh,
    refreshIntervalHours: body.refreshIntervalHours,
    crawl: body.crawl,
    maxChunkSize: body.maxChunkSize,
    minChunkSize: body.minChunkSize,
    editCount: 0,
    refreshedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}
