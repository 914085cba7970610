import type { Clock } from '@parley/engine/ports'
import type { DocumentPreparer } from '../../features/knowledge/public.ts'
import { DOCUMENT_LIMITS, type DocumentLimits } from './document-limits.ts'
import { DocumentPool } from './document-pool.ts'

export interface DocumentPreparerOptions {
  readonly clock: Clock
  /** Documents that are read at the same time; one workspace has at most one fewer. */
  readonly threads?: number
  readonly limits?: Partial<DocumentLimits>
  /** A process without work for this long is ended. */
  readonly idleMs?: number
}

/**
 * Reads documents in processes of their own, which start with the first document. A document's bytes must not change until it is
 * answered. After `close` documents are put off.
 */
export function createDocumentPreparer({
  clock,
  threads = 3,
  limits = {},
  idleMs = 30_000,
}: DocumentPreparerOptions): DocumentPreparer & { close(): Promise<void> } {
  const allLimits = { ...DOCUMENT_LIMITS, ...limits }
  const pool = new DocumentPool({ clock, maxProcesses: threads, limits: allLimits, idleMs })
  return {
    prepare: (document, options) => pool.run({ document, sizes: options.sizes, limits: allLimits }, options),
    close: () => pool.close(),
  }
}
