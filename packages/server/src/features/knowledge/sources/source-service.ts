import type { AddSourcesBody, KnowledgeBase, KnowledgeChunk } from '@parley/contract/knowledge-base'
import type { KnowledgeSource, SourceStatus } from '@parley/contract/knowledge-source'
import type { WithEditCount } from '../../../kernel/api/edits.ts'
import type { Upload } from '../../../kernel/api/implement.ts'
import type { Page, PageRequest } from '../../../kernel/api/paging.ts'
import { invalidField, notFound } from '../../../kernel/errors.ts'
import { requireBase, touchBase } from '../knowledge-store.ts'
import { type RemovalContext, removeSources } from '../remove-content.ts'
import { type AddSourcesDependencies, addSources } from './add-sources.ts'
import { readSources } from './read-sources.ts'
import { findSourceIds, listChunks, listSources } from './source-store.ts'

interface SourceTarget {
  readonly workspaceId: number
  readonly knowledgeBaseId: string
  readonly sourceId: string
}

export interface SourceService {
  addSources(
    target: Omit<SourceTarget, 'sourceId'>,
    body: AddSourcesBody,
    uploads: readonly Upload[],
  ): Promise<WithEditCount<KnowledgeBase>>
  listSources(
    target: Omit<SourceTarget, 'sourceId'> & { readonly status?: SourceStatus | undefined },
    page: PageRequest,
  ): Promise<Page<KnowledgeSource>>
  removeSource(target: SourceTarget): Promise<void>
  listChunks(target: SourceTarget, page: PageRequest): Promise<Page<KnowledgeChunk>>
}

interface SourceServiceDependencies extends AddSourcesDependencies {
  readonly removal: RemovalContext
  readonly get: (workspaceId: number, knowledgeBaseId: string) => Promise<WithEditCount<KnowledgeBase>>
}

export function createSourceService(dependencies: SourceServiceDependencies): SourceService {
  const { database, clock, removal, get } = dependencies

  return {
    async addSources({ workspaceId, knowledgeBaseId: id }, body, uploads) {
      if (body.sources.length + uploads.length === 0) throw invalidField('sources', 'needs at least one source or file')
      await requireBase(database.read, workspaceId, id)
      await addSources(dependencies, {
        base: { id, workspaceId },
        sources: readSources(body.sources, uploads),
        createNotFoundError: () => notFound('knowledge base', id),
        beforePublish: async (transaction) => void (await requireBase(transaction, workspaceId, id)),
      })
      return await get(workspaceId, id)
    },

    async listSources({ workspaceId, knowledgeBaseId, status }, page) {
      await requireBase(database.read, workspaceId, knowledgeBaseId)
      return await listSources(database.read, { knowledgeBaseId, status }, page)
    },

    removeSource: ({ workspaceId, knowledgeBaseId, sourceId }) =>
      database.transaction(async (transaction) => {
        await requireBase(transaction, workspaceId, knowledgeBaseId)
        const sourceIds = [sourceId]
        const existingIds = await findSourceIds(transaction, knowledgeBaseId, sourceIds)
        if (!existingIds.has(sourceId)) throw notFound('source', sourceId)
        await touchBase(transaction, knowledgeBaseId, { now: clock.now(), affectsSearch: true })
        await removeSources(transaction, removal, { knowledgeBaseId, sourceIds })
      }),

    async listChunks({ workspaceId, knowledgeBaseId, sourceId }, page) {
      await requireBase(database.read, workspaceId, knowledgeBaseId)
      const existingIds = await findSourceIds(database.read, knowledgeBaseId, [sourceId])
      if (!existingIds.has(sourceId)) throw notFound('source', sourceId)
      return await listChunks(database.read, sourceId, page)
    },
  }
}
