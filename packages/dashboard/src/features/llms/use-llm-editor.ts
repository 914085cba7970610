import type { Llm } from '@parley/contract/llm'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { inWorkspace, refresh } from '../../lib/api/hooks.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type Saving, useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { llmFields } from '../../parts/agent/agent-body.ts'

export interface LlmEditing {
  readonly draft: Draft<Llm>
  readonly saving: Saving<Llm>
}

/** The edits of a configuration, and how they get to the server. */
export function useLlmEditor(llmId: string, answer: Answer<Llm>): LlmEditing {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const newest = useMemo(() => ({ value: answer.value, etag: answer.etag }), [answer])
  const draft = useDraft<Llm>(`llm.${llmId}`, newest)
  const path = { llmId }
  const saving = useSaving(draft, {
    async write(edits, etag): Promise<Snapshot<Llm>> {
      const parts = inWorkspace('updateLlm', { path, body: llmFields(edits) }, workspaceId)
      const saved = await request('updateLlm', parts, { ifMatch: etag })
      await refresh(client, ['getLlm', 'listLlms', 'listLlmVersions'])
      const { warnings, ...value } = saved.value
      tellWithWarnings(t('The LLM configuration is saved.'), warnings)
      return { value, etag: saved.etag }
    },
    async read(): Promise<Snapshot<Llm>> {
      const { value, etag } = await request('getLlm', inWorkspace('getLlm', { path }, workspaceId))
      return { value, etag }
    },
  })
  return { draft, saving }
}
