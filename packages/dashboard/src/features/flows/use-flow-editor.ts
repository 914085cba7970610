import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { notifyError, notifyWithWarnings } from '../../components/toasts.tsx'
import { addWorkspace, refresh } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { type ApiResponse, request, type ValueOf } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type Conflict, type Saving, useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { flowApi, listOperationsToRefetch } from '../../parts/engine/engine-api.ts'
import {
  buildChanges,
  type FlowDocument,
  findChangedFields,
  findUnstoredPaths,
  formatDocument,
  mergeEdits,
  type ReadDocument,
  readDocument,
  toDocument,
} from './flow-document.ts'

/** The edited text, which the form and the editor share. */
interface FlowText {
  readonly text: string
}

export interface FlowEditing {
  readonly draft: Draft<FlowText>
  readonly saving: Saving<FlowText>
  readonly read: ReadDocument
  /** Why the current text could not be saved; null after the next edit. */
  readonly refusal: Problem | null
  /** Saves the flow. Does not send invalid JSON. */
  save(): Promise<boolean>
  change(fields: FlowDocument): void
  /** The conflict by field instead of by text. */
  readonly conflict: Conflict<FlowDocument> | null
  readonly conflictEdits: FlowDocument
  resolve(choice: 'keep-mine' | 'take-theirs'): void
}

export function useFlowEditor(flowId: string, answer: ApiResponse<ValueOf<'getConversationFlow'>>): FlowEditing {
  const t = useText()
  const latest = useMemo(() => toSnapshot(answer), [answer])
  const draft = useDraft<FlowText>(`flow.${flowId}`, latest)
  const { text } = draft.value
  const read = useMemo(() => readDocument(text), [text])
  const saving = useSaving(draft, useStored(flowId, draft))
  const { conflict } = saving
  const [sentText, setSentText] = useState<string | null>(null)
  const documents = useMemo(() => toDocumentConflict(conflict, text), [conflict, text])

  return {
    draft,
    saving,
    read,
    refusal: sentText === text ? saving.problem : null,
    async save() {
      setSentText(text)
      if ('document' in read) return await saving.save()
      notifyError(t('The flow was not saved because the JSON is invalid. Fix the marked position.'))
      return false
    },
    change(fields) {
      if ('document' in read) draft.set({ text: formatDocument({ ...read.document, ...fields }) })
    },
    conflict: documents?.conflict ?? null,
    conflictEdits: documents?.edits ?? {},
    resolve(choice) {
      saving.resolve(choice)
      if (documents === null || choice === 'take-theirs') return
      const { before, theirs } = documents.conflict
      draft.set({ text: formatDocument(mergeEdits(before, documents.mine, theirs.value)) })
    },
  }
}

function toSnapshot({ value, etag }: ApiResponse<ValueOf<'getConversationFlow'>>): Snapshot<FlowText> {
  return { value: { text: formatDocument(toDocument(value)) }, etag }
}

function useStored(flowId: string, draft: Draft<FlowText>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const path = { conversationFlowId: flowId }
  return {
    async write({ text = '' }: Partial<FlowText>, etag: string | null): Promise<Snapshot<FlowText>> {
      const [before, after] = [parseDocument(draft.base.value.text), parseDocument(text)]
      const body = buildChanges(before, after)
      // Only the formatting changed.
      if (Object.keys(body).length === 0) return draft.base
      const parts = addWorkspace('updateConversationFlow', { path, body }, workspaceId)
      const answer = await request('updateConversationFlow', parts, { ifMatch: etag })
      await refresh(client, listOperationsToRefetch(flowApi))
      const saved = toSnapshot(answer)
      const dropped = findUnstoredPaths(body, { ...answer.value, replaceNodes: true })
      const left = t('These fields were not saved because the server does not support them: {fields}.', {
        fields: dropped.slice(0, 5).join(', '),
      })
      notifyWithWarnings(t('Flow saved'), [...(dropped.length > 0 ? [left] : []), ...answer.value.warnings])
      return saved
    },
    async read(): Promise<Snapshot<FlowText>> {
      return toSnapshot(
        await request('getConversationFlow', addWorkspace('getConversationFlow', { path }, workspaceId)),
      )
    },
  }
}

function parseDocument(text: string): FlowDocument {
  const read = readDocument(text)
  return 'document' in read ? read.document : {}
}

function toDocumentConflict(conflict: Conflict<FlowText> | null, text: string) {
  if (conflict === null) return null
  const [before, mine, theirs] = [conflict.before.text, text, conflict.theirs.value.text].map(parseDocument) as [
    FlowDocument,
    FlowDocument,
    FlowDocument,
  ]
  const edits = Object.fromEntries(findChangedFields(before, mine).map((name) => [name, mine[name]]))
  return { conflict: { before, theirs: { value: theirs, etag: conflict.theirs.etag } }, edits, mine }
}
