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
  type ParsedDocument,
  parseDocument,
  toDocument,
} from './flow-document.ts'

/** The text that the form and the JSON editor share. */
interface FlowText {
  readonly text: string
}

export interface FlowEditing {
  readonly draft: Draft<FlowText>
  readonly saving: Saving<FlowText>
  readonly parsed: ParsedDocument
  /** Why the current text could not be saved; null after the next edit. */
  readonly rejection: Problem | null
  /** Saves the flow. Does not send invalid JSON. */
  save(): Promise<boolean>
  updateFields(fields: FlowDocument): void
  /** The conflict by field, not by text. */
  readonly conflict: Conflict<FlowDocument> | null
  readonly conflictEdits: FlowDocument
  resolve(choice: 'keep-mine' | 'take-theirs'): void
}

export function useFlowEditor(flowId: string, response: ApiResponse<ValueOf<'getConversationFlow'>>): FlowEditing {
  const t = useText()
  const latest = useMemo(() => toSnapshot(response), [response])
  const draft = useDraft<FlowText>(`flow.${flowId}`, latest)
  const { text } = draft.value
  const parsed = useMemo(() => parseDocument(text), [text])
  const saving = useSaving(draft, useStoredFlow(flowId, draft))
  const { conflict } = saving
  const [sentText, setSentText] = useState<string | null>(null)
  const documentConflict = useMemo(() => toDocumentConflict(conflict, text), [conflict, text])

  return {
    draft,
    saving,
    parsed: parsed,
    rejection: sentText === text ? saving.problem : null,
    async save() {
      setSentText(text)
      if ('document' in parsed) return await saving.save()
      notifyError(t('The flow was not saved because the JSON is invalid. Fix the marked position.'))
      return false
    },
    updateFields(fields) {
      if ('document' in parsed) draft.set({ text: formatDocument({ ...parsed.document, ...fields }) })
    },
    conflict: documentConflict?.conflict ?? null,
    conflictEdits: documentConflict?.edits ?? {},
    resolve(choice) {
      saving.resolve(choice)
      if (documentConflict === null || choice === 'take-theirs') return
      const { before, theirs } = documentConflict.conflict
      draft.set({ text: formatDocument(mergeEdits(before, documentConflict.mine, theirs.value)) })
    },
  }
}

function toSnapshot({ value, etag }: ApiResponse<ValueOf<'getConversationFlow'>>): Snapshot<FlowText> {
  return { value: { text: formatDocument(toDocument(value)) }, etag }
}

function useStoredFlow(flowId: string, draft: Draft<FlowText>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const path = { conversationFlowId: flowId }
  return {
    async write({ text = '' }: Partial<FlowText>, etag: string | null): Promise<Snapshot<FlowText>> {
      const [base, edited] = [parseOrEmpty(draft.base.value.text), parseOrEmpty(text)]
      const body = buildChanges(base, edited)
      // Nothing to save if only the formatting changed.
      if (Object.keys(body).length === 0) return draft.base
      const parts = addWorkspace('updateConversationFlow', { path, body }, workspaceId)
      const response = await request('updateConversationFlow', parts, { ifMatch: etag })
      await refresh(client, listOperationsToRefetch(flowApi))
      const savedFlow = toSnapshot(response)
      const droppedPaths = findUnstoredPaths(body, { ...response.value, replaceNodes: true })
      const droppedFieldsWarning = t(
        'These fields were not saved because the server does not support them: {fields}.',
        {
          fields: droppedPaths.slice(0, 5).join(', '),
        },
      )
      notifyWithWarnings(t('Flow saved'), [
        ...(droppedPaths.length > 0 ? [droppedFieldsWarning] : []),
        ...response.value.warnings,
      ])
      return savedFlow
    },
    async read(): Promise<Snapshot<FlowText>> {
      return toSnapshot(
        await request('getConversationFlow', addWorkspace('getConversationFlow', { path }, workspaceId)),
      )
    },
  }
}

function parseOrEmpty(text: string): FlowDocument {
  const parsed = parseDocument(text)
  return 'document' in parsed ? parsed.document : {}
}

function toDocumentConflict(conflict: Conflict<FlowText> | null, text: string) {
  if (conflict === null) return null
  const [before, mine, theirs] = [conflict.before.text, text, conflict.theirs.value.text].map(parseOrEmpty) as [
    FlowDocument,
    FlowDocument,
    FlowDocument,
  ]
  const edits = Object.fromEntries(findChangedFields(before, mine).map((name) => [name, mine[name]]))
  return { conflict: { before, theirs: { value: theirs, etag: conflict.theirs.etag } }, edits, mine }
}
