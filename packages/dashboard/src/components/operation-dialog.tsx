import type { ReactNode } from 'react'
import { useWrite } from '../lib/api/hooks.ts'
import type { ApiResponse, OperationName, RequestParts, ValueOf } from '../lib/api/request.ts'
import { DeleteDialog, type DeleteDialogProps, FormDialog, type FormDialogProps } from './dialog.tsx'
import { FieldProblems } from './field.tsx'
import { notify } from './toasts.tsx'

interface OperationProps<Name extends OperationName> {
  readonly operation: Name
  /** What is sent. The workspace of the page is filled in. */
  readonly parts: RequestParts<Name>
  /** Reads whose answers change with it. */
  readonly refreshes: readonly OperationName[]
  /** Shown once it is done, such as "Agent created". */
  readonly success?: string
  readonly onSuccess?: (value: ValueOf<Name>) => void
  readonly onClose: () => void
}

function useOperation<Name extends OperationName>(props: OperationProps<Name>) {
  const { operation, parts, refreshes, success, onSuccess, onClose } = props
  const write = useWrite(operation, { refreshes })
  const mutate = write.mutate as (
    parts: RequestParts<Name>,
    options: { readonly onSuccess: (answer: ApiResponse<ValueOf<Name>>) => void },
  ) => void
  return {
    problem: write.error,
    isBusy: write.isPending,
    submit: () =>
      mutate(parts, {
        onSuccess: ({ value }) => {
          if (success !== undefined) notify(success)
          onClose()
          onSuccess?.(value)
        },
      }),
  }
}

type OperationDialogProps<Name extends OperationName> = OperationProps<Name> &
  Omit<FormDialogProps, 'open' | 'onOpenChange' | 'onSubmit' | 'isBusy' | 'problem'> & { readonly children?: ReactNode }

/** A form dialog that calls an operation and closes when it has succeeded. Problems show at their fields and above the buttons. */
export function OperationDialog<Name extends OperationName>(props: OperationDialogProps<Name>) {
  const { operation: _o, parts: _p, refreshes: _r, success: _s, onSuccess: _f, onClose, children, ...dialog } = props
  const { problem, isBusy, submit } = useOperation(props)
  return (
    <FormDialog {...dialog} open onOpenChange={onClose} isBusy={isBusy} problem={problem} onSubmit={submit}>
      <FieldProblems details={problem?.details ?? []}>{children}</FieldProblems>
    </FormDialog>
  )
}

type DeleteOperationDialogProps<Name extends OperationName> = OperationProps<Name> &
  Omit<DeleteDialogProps, 'open' | 'onOpenChange' | 'onDelete' | 'isBusy' | 'problem'>

/** Asks before a record is deleted, and deletes it. */
export function DeleteOperationDialog<Name extends OperationName>(props: DeleteOperationDialogProps<Name>) {
  const { operation: _o, parts: _p, refreshes: _r, success: _s, onSuccess: _f, onClose, ...dialog } = props
  const { problem, isBusy, submit } = useOperation(props)
  return <DeleteDialog {...dialog} open onOpenChange={onClose} isBusy={isBusy} problem={problem} onDelete={submit} />
}
