import type { PhoneNumber } from '@parley/contract/phone-number'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { refresh, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type DraftSaver, useDraftSaver } from '../../lib/editing/save.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type NumberDraft, toNumberDraft, toNumberRequests } from './number-draft.ts'

export interface NumberResponse {
  readonly value: PhoneNumber
  readonly etag: string | null
}

const toSnapshot = ({ value, etag }: NumberResponse): Snapshot<NumberDraft> => ({ value: toNumberDraft(value), etag })

/** Returns the draft of a number. Saving it can call two operations. */
export function useNumberDraft(response: NumberResponse): {
  readonly draft: Draft<NumberDraft>
  readonly saver: DraftSaver<NumberDraft>
} {
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const { number } = response.value
  const latestSnapshot = useMemo(() => toSnapshot(response), [response])
  const draft = useDraft(`number.${workspaceId}.${number}`, latestSnapshot)
  const assignAgents = useWrite('assignNumberAgents')
  const updateNumber = useWrite('updateNumber')

  async function write(edits: Partial<NumberDraft>, etag: string | null): Promise<Snapshot<NumberDraft>> {
    const { assignment, settings } = toNumberRequests(edits)
    let snapshot: Snapshot<NumberDraft> = { value: draft.base.value, etag }
    if (assignment !== null) {
      const assignResponse = await assignAgents.mutateAsync({ path: { number }, body: assignment.body, ifMatch: etag })
      const [assignedNumber = response.value] = assignResponse.value.numbers
      snapshot = toSnapshot({ value: assignedNumber, etag: assignResponse.etag })
      // The agents stay saved even if the server rejects the settings.
      if (settings !== null) draft.markSaved(assignment.edits, snapshot)
    }
    if (settings !== null) {
      snapshot = toSnapshot(
        await updateNumber.mutateAsync({ path: { number }, body: settings.body, ifMatch: snapshot.etag }),
      )
    }
    return snapshot
  }

  const saver = useDraftSaver(draft, {
    write: async (edits, etag) => {
      try {
        return await write(edits, etag)
      } finally {
        await refresh(client, ['getNumber', 'listNumbers'])
      }
    },
    read: async () => toSnapshot(await request('getNumber', { path: { number }, query: { workspaceId } })),
  })
  return { draft, saver }
}
