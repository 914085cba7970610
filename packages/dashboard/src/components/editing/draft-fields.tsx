import { type ReactNode, useEffect, useState } from 'react'
import type { Draft } from '../../lib/editing/draft.ts'
import type { Saving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { FormDialog } from '../dialog.tsx'
import { FieldProblems } from '../field.tsx'
import { ProblemNote } from '../states.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'

export interface DraftFieldsProps<Value extends object> {
  readonly draft: Draft<Value>
  readonly saving: Saving<Value>
  /** The label of a field. */
  readonly nameOf?: (field: string) => string
  readonly children: ReactNode
}

/** The fields of a draft with problems and conflicts of saving. */
export function DraftFields<Value extends object>({ draft, saving, nameOf, children }: DraftFieldsProps<Value>) {
  return (
    <>
      {saving.problem !== null && <ProblemNote problem={saving.problem} />}
      <FieldProblems details={saving.problem?.details ?? []}>{children}</FieldProblems>
      <ConflictDialog
        conflict={saving.conflict}
        edits={draft.edits}
        {...(nameOf && { nameOf })}
        onResolve={saving.resolve}
        onPostpone={saving.postpone}
      />
    </>
  )
}

export interface DraftDialogProps<Value extends object> {
  readonly title: string
  readonly draft: Draft<Value>
  readonly saving: Saving<Value>
  readonly canSave: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Edits a record in a dialog and reports conflicts. */
export function DraftDialog<Value extends object>({
  title,
  draft,
  saving,
  canSave,
  onClose,
  children,
}: DraftDialogProps<Value>) {
  const t = useText()
  const [isLeaving, setIsLeaving] = useState(false)
  // Discard first, so that the edits are gone when the dialog opens again.
  useEffect(() => {
    if (isLeaving && !draft.isEdited) onClose()
  }, [isLeaving, draft.isEdited, onClose])

  if (saving.conflict !== null) {
    return (
      <ConflictDialog
        conflict={saving.conflict}
        edits={draft.edits}
        onResolve={saving.resolve}
        onPostpone={saving.postpone}
      />
    )
  }
  return (
    <FormDialog
      open
      onOpenChange={() => {
        draft.discard()
        setIsLeaving(true)
      }}
      title={title}
      submitLabel={t('Save')}
      isBusy={saving.isSaving}
      canSubmit={draft.isEdited && canSave}
      problem={saving.problem}
      onSubmit={() => void saving.save().then(setIsLeaving)}
    >
      <FieldProblems details={saving.problem?.details ?? []}>{children}</FieldProblems>
    </FormDialog>
  )
}
