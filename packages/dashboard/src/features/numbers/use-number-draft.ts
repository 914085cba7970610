import type { PhoneNumber } from '@parley/contract/phone-number'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { refresh, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type Saving, useSaving } from '../../lib/editing/save.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type NumberDraft, toNumberDraft, toNumberWrites } from './number-draft.ts'

export interface NumberAnswer {
  readonly value: PhoneNumber
  readonly etag: string | null
}

const toSnapshot = ({ value, etag }: NumberAnswer): Snapshot<NumberDraft> => ({ value: toNumberDraft(value), etag })

/** Holds the draft of a number. Saving can call two operations. */
export function useNumberDraft(answer: NumberAnswer): {
  readonly draft: Draft<NumberDraft>
  readonly saving: Saving<NumberDraft>
} {
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const { number } = answer.value
  const latest = useMemo(() => toSnapshot(answer), [answer])
  const draft = useDraft(`number.${workspaceId}.${number}`, latest)
  const assign = useWrite('assignNumberAgents')
  const update = useWrite('updateNumber')

  async function write(edits: Partial<NumberDraft>, etag: string | null): Promise<Snapshot<NumberDraft>> {
    const { binding, settings } = toNumberWrites(edits)
    let saved: Snapshot<NumberDraft> = { value: draft.base.value, etag }
    if (binding !== null) {
      const assigned = await assign.mutateAsync({ path: { number }, body: binding.body, ifMatch: etag })
      const [bound = answer.value] = assigned.value.numbers
      saved = toSnapshot({ value: bound, etag: assigned.etag })
      // The agents are saved, even if the server then rejects the settings.
      if (settings !== null) draft.acceptSaved(binding.edits, saved)
    }
    if (settings !== null) {
      saved = toSnapshot(await update.mutateAsync({ path: { number }, body: settings.body, ifMatch: saved.etag }))
    }
    return saved
  }

  const saving = useSaving(draft, {
    write: async (edits, etag) => {
      try {
        return await write(edits, etag)
      } finally {
        await refresh(client, ['getNumber', 'listNumbers'])
      }
    },
    read: async () => toSnapshot(await request('getNumber', { path: { number }, query: { workspaceId } })),
  })
  return { draft, saving }
}
