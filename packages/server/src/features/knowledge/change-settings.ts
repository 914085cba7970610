import { isDeepStrictEqual } from 'node:util'
import type { Crawl, UpdateKnowledgeBaseBody } from '@parley/contract/knowledge-base'
import { AppError } from '../../kernel/errors.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import { startSite } from './crawling/crawl-start.ts'
import { decideDropped } from './decide-dropped.ts'
import { type KnowledgeSettings, type StoredBase, saveSettings, touchBase } from './knowledge-store.ts'
import { type Removal, removeSources } from './remove-content.ts'
import { findCrawled } from './sources/source-store.ts'

/** Refuses a site that is named twice. */
export function checkCrawl(crawl: readonly Crawl[]): void {
  const details = crawl.flatMap(({ path }, index) =>
    crawl.findIndex((other) => other.path === path) < index
      ? [{ path: `crawl[${index}].path`, message: 'is named twice' }]
      : [],
  )
  const [first] = details
  if (first !== undefined) throw new AppError('invalid_request', `${first.path}: ${first.message}`, { details })
}

/** Applies a PATCH body; null when it changes nothing. */
export function decideSettings(current: KnowledgeSettings, body: UpdateKnowledgeBaseBody): KnowledgeSettings | null {
  const before: KnowledgeSettings = {
    name: current.name,
    description: current.description,
    enableAutoRefresh: current.enableAutoRefresh,
    refreshIntervalHours: current.refreshIntervalHours,
    crawl: current.crawl,
  }
  const after: KnowledgeSettings = {
    name: body.name ?? before.name,
    description: body.description ?? before.description,
    enableAutoRefresh: body.enableAutoRefresh ?? before.enableAutoRefresh,
    refreshIntervalHours: body.refreshIntervalHours ?? before.refreshIntervalHours,
    crawl: body.crawl ?? before.crawl,
  }
  return isDeepStrictEqual(before, after) ? null : after
}

/** Stores an edit and what follows from it: pages of sites that were taken out are removed, those of others are looked for. */
export async function changeSettings(
  transaction: Transaction,
  removal: Removal,
  edit: { readonly current: StoredBase; readonly decided: KnowledgeSettings; readonly now: number },
): Promise<void> {
  const { current, decided, now } = edit
  const knowledgeBaseId = current.id
  await saveSettings(transaction, current, decided, now)
  if (isDeepStrictEqual(current.crawl, decided.crawl)) return
  const crawled = await findCrawled(transaction, knowledgeBaseId)
  const dropped = decideDropped(crawled, decided.crawl)
  if (dropped.length > 0) {
    await touchBase(transaction, knowledgeBaseId, { now, found: true })
    await removeSources(transaction, removal, { knowledgeBaseId, sourceIds: dropped })
  }
  for (const [siteIndex, site] of decided.crawl.entries()) {
    if (current.crawl.some((before) => isDeepStrictEqual(before, site))) continue
    await startSite(transaction, { knowledgeBaseId, workspaceId: current.workspaceId, site, siteIndex, now }, removal)
  }
}
