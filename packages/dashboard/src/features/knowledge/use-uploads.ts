import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { tell } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useStore } from '../../lib/store.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { GivenFiles } from './given-files.ts'
import { planUploads, type UploadPlan } from './plan-uploads.ts'
import { sendFiles, type UploadBatch, uploads } from './upload-queue.ts'

/** Sends files to a knowledge base; answers which are not sent. */
export function useSendFiles(): (knowledgeBaseId: string, given: GivenFiles) => UploadPlan<File>['refused'] {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  return (knowledgeBaseId, given) => {
    const { batches, refused } = planUploads(given)
    sendFiles({
      workspaceId,
      knowledgeBaseId,
      batches,
      onArrived: (count) => {
        tell(
          t(
            '{count, plural, one {# file has arrived and is being read.} other {# files have arrived and are being read.}}',
            {
              count,
            },
          ),
        )
        void refresh(client, ['getKnowledgeBase', 'listKnowledgeSources', 'listKnowledgeBases'])
      },
    })
    return refused
  }
}

/** Files that are on their way to a knowledge base. */
export function useUploads(knowledgeBaseId: string): readonly UploadBatch[] {
  const all = useStore(uploads)
  return useMemo(() => all.filter((batch) => batch.knowledgeBaseId === knowledgeBaseId), [all, knowledgeBaseId])
}
