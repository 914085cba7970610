import type { MakeId } from '@parley/engine/ports'
import type { Chunk } from '@parley/retrieval/chunk'
import type { Database } from '../../../kernel/storage/database.ts'
import type { JobQueue } from '../../../kernel/work/jobs.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { WebhookEvents } from '../../webhooks/public.ts'
import type { DocumentPreparer, Embedder, WebPages } from '../knowledge-ports.ts'

/** What is embedded of a passage: it with its title and headings. */
export type EmbeddedText = (title: string, chunk: Pick<Chunk, 'headings' | 'text'>) => string

/** What reading sources needs. */
export interface IngestionDependencies {
  readonly database: Database
  /** With several nodes, the same time on all of them. */
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly jobs: JobQueue
  readonly documents: DocumentPreparer
  readonly pages: WebPages
  /** `null` where no embedding model is configured. */
  readonly embedder: Embedder | null
  readonly embeddedText: EmbeddedText
  readonly webhooks: Pick<WebhookEvents, 'statements'>
  readonly logError: (name: string, error: unknown) => void
}
