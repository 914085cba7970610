import { Problem } from '../../lib/api/problem.ts'
import { upload } from '../../lib/api/upload.ts'
import { uniqueName } from '../../lib/clock.ts'
import { createStore } from '../../lib/store.ts'

/** Files that are on their way to a knowledge base in one request. */
export interface UploadBatch {
  readonly id: string
  readonly workspaceId: number
  readonly knowledgeBaseId: string
  readonly files: readonly File[]
  readonly state: 'waiting' | 'sending' | 'failed'
  /** Share that was sent, from 0 to 1. */
  readonly share: number
  readonly problem: Problem | null
}

export interface UploadRequest extends Pick<UploadBatch, 'workspaceId' | 'knowledgeBaseId'> {
  readonly batches: readonly (readonly File[])[]
  /** Told after each request that arrived. */
  readonly onArrived: (fileCount: number) => void
}

/** All uploads of this page, in the order of their sending. They go on while the person looks at something else. */
export const uploads = createStore<readonly UploadBatch[]>([])

interface Delivery {
  readonly onArrived: (fileCount: number) => void
  abort: AbortController
}

const deliveries = new Map<string, Delivery>()

/** Sends files, one request after the other. */
export function sendFiles({ batches, onArrived, ...target }: UploadRequest): void {
  const added = batches.map((files): UploadBatch => {
    const id = uniqueName()
    deliveries.set(id, { onArrived, abort: new AbortController() })
    return { ...target, id, files, state: 'waiting', share: 0, problem: null }
  })
  uploads.set([...uploads.get(), ...added])
  void sendNext()
}

/** Takes an upload away, whether it waits, is on its way, or has failed. */
export function cancelUpload(id: string): void {
  deliveries.get(id)?.abort.abort()
  forget(id)
  void sendNext()
}

/** Sends once more what has failed; what the server has already is not added twice. */
export function retryUpload(id: string): void {
  change(id, { state: 'waiting', share: 0, problem: null })
  void sendNext()
}

async function sendNext(): Promise<void> {
  const all = uploads.get()
  const next = all.find(({ state }) => state === 'waiting')
  if (next === undefined || all.some(({ state }) => state === 'sending')) return
  const delivery = deliveries.get(next.id)
  if (delivery === undefined) return
  delivery.abort = new AbortController()
  change(next.id, { state: 'sending' })
  try {
    await upload(
      'addKnowledgeSources',
      {
        path: { knowledgeBaseId: next.knowledgeBaseId },
        fields: { workspaceId: String(next.workspaceId) },
        files: next.files,
      },
      { signal: delivery.abort.signal, onProgress: (share) => change(next.id, { share }) },
    )
    forget(next.id)
    delivery.onArrived(next.files.length)
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem(String(error), { code: 'unreadable' })
    // One that was cancelled is no longer known.
    change(next.id, { state: 'failed', problem })
  }
  await sendNext()
}

function change(id: string, changes: Partial<UploadBatch>): void {
  uploads.set(uploads.get().map((batch) => (batch.id === id ? { ...batch, ...changes } : batch)))
}

function forget(id: string): void {
  deliveries.delete(id)
  uploads.set(uploads.get().filter((batch) => batch.id !== id))
}
