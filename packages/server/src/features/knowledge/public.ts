export { createIngestion } from './ingestion/ingestion.ts'
export { createKnowledgeCleanup } from './knowledge-cleanup.ts'
export type {
  DocumentPreparer,
  Embedder,
  EmbedResult,
  FetchedPage,
  KnowledgeSearches,
  PageValidators,
  PreparedChunk,
  PreparedDocument,
  RawDocument,
  SitemapResult,
  UnreadableDocument,
  WebPageFetcher,
} from './knowledge-ports.ts'
export { registerKnowledgeRoutes } from './knowledge-routes.ts'
export type { KnowledgeRemoval } from './knowledge-service.ts'
export { createKnowledgeService } from './knowledge-service.ts'
export {
  type IndexChange,
  type IndexThread,
  IndexThreadLostError,
  type IndexWorker,
  type SegmentParts,
  type VectorPage,
} from './retrieval/index-worker.ts'
export { createRetrieval, type Retrieval } from './retrieval/retrieval.ts'
