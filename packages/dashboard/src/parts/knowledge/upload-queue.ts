import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { notify } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { upload } from '../../lib/api/upload.ts'
import { createRandomId } from '../../lib/clock.ts'
import { useText } from '../../lib/language.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type FileSelection, planUploads, type UploadPlan } from './plan-uploads.ts'

/** The files of one upload request. */
export interface UploadBatch {
  readonly id: string
  readonly workspaceId: number
  readonly knowledgeBaseId: string
  readonly files: readonly File[]
  readonly state: 'waiting' | 'sending' | 'failed'
  /** Upload progress, from 0 to 1. */
  readonly share: number
  readonly problem: Problem | null
}

interface UploadRequest extends Pick<UploadBatch, 'workspaceId' | 'knowledgeBaseId'> {
  readonly batches: readonly (readonly File[])[]
  readonly onUploaded: (fileCount: number) => void
}

/** All uploads in this browser tab, in order. They continue when the user opens another page. */
const uploads = createStore<readonly UploadBatch[]>([])

interface UploadHandle {
  readonly onUploaded: (fileCount: number) => void
  controller: AbortController
}

const uploadHandles = new Map<string, UploadHandle>()

function enqueueUploads({ batches, onUploaded, ...target }: UploadRequest): void {
  const newBatches = batches.map((files): UploadBatch => {
    const id = createRandomId()
    uploadHandles.set(id, { onUploaded, controller: new AbortController() })
    return { ...target, id, files, state: 'waiting', share: 0, problem: null }
  })
  uploads.set([...uploads.get(), ...newBatches])
  void sendNextBatch()
}

/** Removes a queued, running, or failed upload. */
export function cancelUpload(id: string): void {
  uploadHandles.get(id)?.controller.abort()
  removeBatch(id)
  void sendNextBatch()
}

/** Retries an upload. The server does not add files twice. */
export function retryUpload(id: string): void {
  updateBatch(id, { state: 'waiting', share: 0, problem: null })
  void sendNextBatch()
}

async function sendNextBatch(): Promise<void> {
  const batches = uploads.get()
  const nextBatch = batches.find(({ state }) => state === 'waiting')
  if (nextBatch === undefined || batches.some(({ state }) => state === 'sending')) return
  const handle = uploadHandles.get(nextBatch.id)
  if (handle === undefined) return
  handle.controller = new AbortController()
  updateBatch(nextBatch.id, { state: 'sending' })
  try {
    await upload(
      'addKnowledgeSources',
      {
        path: { knowledgeBaseId: nextBatch.knowledgeBaseId },
        fields: { workspaceId: String(nextBatch.workspaceId) },
        files: nextBatch.files,
      },
      { signal: handle.controller.signal, onProgress: (share) => updateBatch(nextBatch.id, { share }) },
    )
    removeBatch(nextBatch.id)
    handle.onUploaded(nextBatch.files.length)
  } catch (error) {
    const problem = error instanceof Problem ? error : new Problem(String(error), { code: 'unreadable' })
    // Has no effect on a canceled upload, because the list no longer contains it.
    updateBatch(nextBatch.id, { state: 'failed', problem })
  }
  await sendNextBatch()
}

function updateBatch(id: string, changes: Partial<UploadBatch>): void {
  uploads.set(uploads.get().map((batch) => (batch.id === id ? { ...batch, ...changes } : batch)))
}

function removeBatch(id: string): void {
  uploadHandles.delete(id)
  uploads.set(uploads.get().filter((batch) => batch.id !== id))
}

/** Returns a function that uploads files to a knowledge base and returns the rejected files. */
export function useSendFiles(): (knowledgeBaseId: string, selection: FileSelection) => UploadPlan<File>['rejected'] {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  return (knowledgeBaseId, selection) => {
    const { batches, rejected } = planUploads(selection)
    enqueueUploads({
      workspaceId,
      knowledgeBaseId,
      batches,
      onUploaded: (count) => {
        notify(t('{count, plural, one {# file uploaded} other {# files uploaded}}', { count }))
        void refresh(client, ['getKnowledgeBase', 'listKnowledgeSources', 'listKnowledgeBases'])
      },
    })
    return rejected
  }
}

export function useUploads(knowledgeBaseId: string): readonly UploadBatch[] {
  const batches = useStore(uploads)
  return useMemo(() => batches.filter((batch) => batch.knowledgeBaseId === knowledgeBaseId), [batches, knowledgeBaseId])
}
