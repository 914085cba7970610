import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Problem } from '../../lib/api/problem.ts'
import type { ApiResponse } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type DraftSaver, type SaveOptions, useDraftSaver } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { Dialog, FormDialog } from '../dialog.tsx'
import { FieldProblems } from '../field.tsx'
import { ProblemNote, QueryView } from '../states.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'

export interface DraftFieldsProps<Value extends object> {
  readonly draft: Draft<Value>
  readonly saver: DraftSaver<Value>
  /** Returns the label of a field. */
  readonly getFieldName?: (field: string) => string
  readonly children: ReactNode
}

/** Renders the fields of a draft with save problems and conflicts. */
export function DraftFields<Value extends object>({ draft, saver, getFieldName, children }: DraftFieldsProps<Value>) {
  return (
    <>
      {saver.problem !== null && <ProblemNote problem={saver.problem} />}
      <FieldProblems details={saver.problem?.details ?? []}>{children}</FieldProblems>
      <ConflictDialog
        conflict={saver.conflict}
        edits={draft.edits}
        {...(getFieldName && { getFieldName: getFieldName })}
        onResolve={saver.resolve}
        onPostpone={saver.postpone}
      />
    </>
  )
}

export interface EditDialogProps<Value extends object> {
  readonly title: string
  /** Key of the draft in browser storage. */
  readonly draftKey: string
  readonly record: UseQueryResult<ApiResponse<Value>, Problem>
  readonly write: SaveOptions<Value>['write']
  readonly canSave: (value: Value) => boolean
  readonly onClose: () => void
  readonly children: (draft: Draft<Value>) => ReactNode
}

/** Edits a record in a dialog and reports conflicts with other users' changes. */
export function EditDialog<Value extends object>(props: EditDialogProps<Value>) {
  const { record, title, onClose } = props
  if (record.data !== undefined) return <EditForm {...props} response={record.data} />
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <QueryView query={record}>{() => null}</QueryView>
    </Dialog>
  )
}

function EditForm<Value extends object>({
  response,
  title,
  draftKey,
  record,
  write,
  canSave,
  onClose,
  children,
}: EditDialogProps<Value> & { readonly response: ApiResponse<Value> }) {
  const t = useText()
  const latest = useMemo<Snapshot<Value>>(() => ({ value: response.value, etag: response.etag }), [response])
  const draft = useDraft(draftKey, latest)
  const saver = useDraftSaver(draft, {
    write,
    read: async () => {
      const { data = response, error } = await record.refetch()
      if (error !== null) throw error
      return { value: data.value, etag: data.etag }
    },
  })
  const [isClosing, setIsClosing] = useState(false)
  // Closes only after the edits are discarded, so that the dialog reopens without them.
  useEffect(() => {
    if (isClosing && !draft.isEdited) onClose()
  }, [isClosing, draft.isEdited, onClose])

  const { conflict, resolve, postpone } = saver
  if (conflict !== null) {
    return <ConflictDialog conflict={conflict} edits={draft.edits} onResolve={resolve} onPostpone={postpone} />
  }
  return (
    <FormDialog
      open
      onOpenChange={() => {
        draft.discard()
        setIsClosing(true)
      }}
      title={title}
      submitLabel={t('Save')}
      isBusy={saver.isSaving}
      canSubmit={draft.isEdited && canSave(draft.value)}
      problem={saver.problem}
      onSubmit={() => void saver.save().then(setIsClosing)}
    >
      <FieldProblems details={saver.problem?.details ?? []}>{children(draft)}</FieldProblems>
    </FormDialog>
  )
}
