import type { ReactNode } from 'react'
import type { Draft } from '../../lib/editing/draft.ts'
import type { Saving } from '../../lib/editing/save.ts'
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
