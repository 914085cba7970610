import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { createFlowKnowledgeRemoval } from './features/flows/flow-knowledge-removal.ts'
import { createIngestion } from './features/knowledge/ingestion/ingestion.ts'
import { createKnowledgeCleaning } from './features/knowledge/knowledge-cleaning.ts'
import type { KnowledgeSearches } from './features/knowledge/knowledge-ports.ts'
import { registerKnowledgeRoutes } from './features/knowledge/knowledge-routes.ts'
import { createKnowledgeService } from './features/knowledge/knowledge-service.ts'
import { createLlmKnowledgeRemoval } from './features/llms/llm-knowledge-removal.ts'
import type { Foundation } from './foundation.ts'
import type { Api } from './kernel/implement.ts'
import type { JobHandler, JobSchedule } from './kernel/jobs.ts'
import type { WebhookEvents } from './kernel/webhook-events.ts'
import { embeddedText } from './providers/documents/embedded-text.ts'

export interface KnowledgeOptions {
  readonly searches: KnowledgeSearches
  readonly webhooks: WebhookEvents
}

/** Knowledge bases: what is done with them at a request, and in the background. */
export interface Knowledge {
  /** Reads documents and waits for sites. */
  readonly slowHandlers: Readonly<Record<string, JobHandler>>
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  /** As it is answered; throws `not_found` when it is gone. */
  read(workspaceId: number, knowledgeBaseId: string): Promise<KnowledgeBase>
  register(api: Api): void
}

/** Creates the services of knowledge bases and gives each the part of the others that it needs. */
export function connectKnowledge(foundation: Foundation, { searches, webhooks }: KnowledgeOptions): Knowledge {
  const { embedder, sharedClock } = foundation
  const shared = { ...foundation, clock: sharedClock, webhooks }
  const service = createKnowledgeService({
    ...shared,
    searches,
    removals: [createLlmKnowledgeRemoval(), createFlowKnowledgeRemoval()],
    searchMode: () => (embedder === null ? 'lexical' : 'hybrid'),
  })
  const ingestion = createIngestion({ ...shared, embeddedText })
  const cleaning = createKnowledgeCleaning(shared)
  return {
    slowHandlers: ingestion.handlers,
    handlers: cleaning.handlers,
    schedules: [...ingestion.schedules, ...cleaning.schedules],
    read: async (workspaceId, knowledgeBaseId) => (await service.get(workspaceId, knowledgeBaseId)).answer,
    register: (api) => registerKnowledgeRoutes(api, service),
  }
}
