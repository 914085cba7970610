import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { createFlowKnowledgeRemoval } from '../features/flows/public.ts'
import {
  createIngestion,
  createKnowledgeCleanup,
  createKnowledgeService,
  type KnowledgeSearches,
  registerKnowledgeRoutes,
} from '../features/knowledge/public.ts'
import { createLlmKnowledgeRemoval } from '../features/llms/public.ts'
import type { WebhookEvents } from '../features/webhooks/public.ts'
import { buildEmbeddingText } from '../integrations/documents/embedded-text.ts'
import type { Api } from '../kernel/api/implement.ts'
import type { JobHandlers, JobSchedule } from '../kernel/work/jobs.ts'
import type { Foundation } from './foundation.ts'

export interface KnowledgeOptions {
  readonly searches: KnowledgeSearches
  readonly webhooks: WebhookEvents
}

/** Knowledge base operations and background jobs. */
export interface Knowledge {
  /** Jobs that read documents and websites. */
  readonly slowHandlers: JobHandlers
  readonly handlers: JobHandlers
  readonly schedules: readonly JobSchedule[]
  /** Returns a knowledge base in the API format. Throws `not_found` if it was deleted. */
  read(workspaceId: number, knowledgeBaseId: string): Promise<KnowledgeBase>
  register(api: Api): void
}

export function connectKnowledge(
  { runtime, storage, cluster, outbound }: Pick<Foundation, 'runtime' | 'storage' | 'cluster' | 'outbound'>,
  { searches, webhooks }: KnowledgeOptions,
): Knowledge {
  const { makeId, logError } = runtime
  const { database } = storage
  const { sharedClock: clock, jobs } = cluster
  const { documents, pages, embedder } = outbound.knowledge
  const service = createKnowledgeService({
    database,
    clock,
    makeId,
    jobs,
    searches,
    webhooks,
    removals: [createLlmKnowledgeRemoval(), createFlowKnowledgeRemoval()],
    getSearchMode: () => (embedder === null ? 'lexical' : 'hybrid'),
  })
  const readers = { documents, pages, embedder, buildEmbeddingText }
  const ingestion = createIngestion({ database, clock, makeId, jobs, webhooks, logError, ...readers })
  const cleanup = createKnowledgeCleanup({ database, clock })
  return {
    slowHandlers: ingestion.handlers,
    handlers: cleanup.handlers,
    schedules: [...ingestion.schedules, ...cleanup.schedules],
    read: async (workspaceId, knowledgeBaseId) => (await service.get(workspaceId, knowledgeBaseId)).response,
    register: (api) => registerKnowledgeRoutes(api, service),
  }
}
