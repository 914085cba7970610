import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { useMemo } from 'react'
import { useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type Saving, useSaving } from '../../lib/editing/save.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** What can be changed of a knowledge base. */
export type BaseSettings = Pick<
  KnowledgeBase,
  'name' | 'description' | 'enableAutoRefresh' | 'refreshIntervalHours' | 'crawl'
>

/** A knowledge base as an answer brings it. */
export interface BaseAnswer {
  readonly value: KnowledgeBase
  readonly etag: string | null
}

function snapshotOf({ value, etag }: BaseAnswer): Snapshot<BaseSettings> {
  const { name, description, enableAutoRefresh, refreshIntervalHours, crawl } = value
  return { value: { name, description, enableAutoRefresh, refreshIntervalHours, crawl }, etag }
}

/** The edits of the settings, and their save. */
export function useSettingsDraft(answer: BaseAnswer): {
  readonly draft: Draft<BaseSettings>
  readonly saving: Saving<BaseSettings>
} {
  const workspaceId = useWorkspaceId()
  const path = { knowledgeBaseId: answer.value.knowledgeBaseId }
  const { etag } = answer
  // Sources that are read change the answer all the time, and the settings not: the tag stands for those alone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const newest = useMemo(() => snapshotOf(answer), [path.knowledgeBaseId, etag])
  const draft = useDraft(`knowledge.${path.knowledgeBaseId}`, newest)
  const update = useWrite('updateKnowledgeBase', {
    refreshes: ['getKnowledgeBase', 'listKnowledgeBases', 'listKnowledgeSources'],
  })
  const saving = useSaving(draft, {
    write: async (edits, ifMatch) => snapshotOf(await update.mutateAsync({ path, body: edits, ifMatch })),
    read: async () => snapshotOf(await request('getKnowledgeBase', { path, query: { workspaceId } })),
  })
  return { draft, saving }
}
