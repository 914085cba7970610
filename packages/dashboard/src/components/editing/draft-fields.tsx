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
  /** What people call a field, where both have changed one. */
  readonly nameOf?: (field: string) => string
  readonly children: ReactNode
}

/** The fields of a record that is edited: above them why the last save failed, at each what is wrong with it, and who else has saved. */
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
  /** Whether what is edited makes sense to be sent. */
  readonly canSave: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A window that edits a stored record, never over what somebody else has changed. It closes when everything is saved, or given up. */
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
  // The draft is forgotten first: edits that were given up must not be there the next time.
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
