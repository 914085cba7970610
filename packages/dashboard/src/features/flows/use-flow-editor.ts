import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { notifyError, notifyWithWarnings } from '../../components/toasts.tsx'
import { addWorkspace, refresh } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { type ApiResponse, request, type ValueOf } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type Conflict, type DraftSaver, useDraftSaver } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { flowApi, listOperationsToRefetch } from '../../parts/engine/engine-api.ts'
import {
  buildUpdateBody,
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

export interface FlowEditorState {
  readonly draft: Draft<FlowText>
  readonly saver: DraftSaver<FlowText>
  readonly parsed: ParsedDocument
  /** Why the current text could not be saved; null after the next edit. */
  readonly rejection: Problem | null
  /** Saves the flow unless the JSON is invalid. */
  save(): Promise<boolean>
  updateFields(fields: FlowDocument): void
  /** The conflict by document field. */
  readonly conflict: Conflict<FlowDocument> | null
  readonly conflictEdits: FlowDocument
  resolve(choice: 'keep-mine' | 'take-theirs'): void
}

export function useFlowEditor(flowId: string, response: ApiResponse<ValueOf<'getConversationFlow'>>): FlowEditorState {
  const t = useText()
  const latestSnapshot = useMemo(() => toSnapshot(response), [response])
  const draft = useDraft<FlowText>(`flow.${flowId}`, latestSnapshot)
  const { text } = draft.value
  const parsed = useMemo(() => parseDocument(text), [text])
  const saver = useDraftSaver(draft, useFlowStorage(flowId, draft))
  const { conflict } = saver
  const [sentText, setSentText] = useState<string | null>(null)
  const documentConflict = useMemo(() => toDocumentConflict(conflict, text), [conflict, text])

  return {
    draft,
    saver,
    parsed,
    rejection: sentText === text ? saver.problem : null,
    async save() {
      setSentText(text)
      if ('document' in parsed) return await saver.save()
      notifyError(t('The flow was not saved because the JSON is invalid. Fix the marked position.'))
      return false
    },
    updateFields(fields) {
      if ('document' in parsed) draft.set({ text: formatDocument({ ...parsed.document, ...fields }) })
    },
    conflict: documentConflict?.conflict ?? null,
    conflictEdits: documentConflict?.edits ?? {},
    resolve(choice) {
      saver.resolve(choice)
      if (documentConflict === null || choice === 'take-theirs') return
      const { base, theirs } = documentConflict.conflict
      draft.set({ text: formatDocument(mergeEdits(base, documentConflict.mine, theirs.value)) })
    },
  }
}

function toSnapshot({ value, etag }: ApiResponse<ValueOf<'getConversationFlow'>>): Snapshot<FlowText> {
  return { value: { text: formatDocument(toDocument(value)) }, etag }
}

function useFlowStorage(flowId: string, draft: Draft<FlowText>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const path = { conversationFlowId: flowId }
  return {
    async write({ text = '' }: Partial<FlowText>, etag: string | null): Promise<Snapshot<FlowText>> {
      const [baseDocument, editedDocument] = [parseDocumentOrEmpty(draft.base.value.text), parseDocumentOrEmpty(text)]
      const body = buildUpdateBody(baseDocument, editedDocument)
      // There is nothing to save if only the formatting changed.
      if (Object.keys(body).length === 0) return draft.base
      const params = addWorkspace('updateConversationFlow', { path, body }, workspaceId)
      const response = await request('updateConversationFlow', params, { ifMatch: etag })
      await refresh(client, listOperationsToRefetch(flowApi))
      const savedSnapshot = toSnapshot(response)
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
      return savedSnapshot
    },
    async read(): Promise<Snapshot<FlowText>> {
      return toSnapshot(
        await request('getConversationFlow', addWorkspace('getConversationFlow', { path }, workspaceId)),
      )
    },
  }
}

function parseDocumentOrEmpty(text: string): FlowDocument {
  const parsed = parseDocument(text)
  return 'document' in parsed ? parsed.document : {}
}

function toDocumentConflict(conflict: Conflict<FlowText> | null, text: string) {
  if (conflict === null) return null
  const [base, mine, theirs] = [conflict.base.text, text, conflict.theirs.value.text].map(parseDocumentOrEmpty) as [
    FlowDocument,
    FlowDocument,
    FlowDocument,
  ]
  const edits = Object.fromEntries(findChangedFields(base, mine).map((name) => [name, mine[name]]))
  return { conflict: { base, theirs: { value: theirs, etag: conflict.theirs.etag } }, edits, mine }
}
