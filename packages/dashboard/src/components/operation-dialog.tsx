import type { ReactNode } from 'react'
import { useWrite } from '../lib/api/hooks.ts'
import type { OperationName, RequestParts, ValueOf } from '../lib/api/request.ts'
import { DeleteDialog, type DeleteDialogProps, FormDialog, type FormDialogProps } from './dialog.tsx'
import { FieldProblems } from './field.tsx'
import { notifyWithWarnings } from './toasts.tsx'

interface OperationProps<Name extends OperationName> {
  readonly operation: Name
  /** The request. The current workspace is added. */
  readonly parts: RequestParts<Name>
  /** Operations to refetch afterwards. */
  readonly invalidates?: readonly OperationName[]
  /** Displayed on success with the warnings in the response, such as "Agent created". */
  readonly success?: string
  /** Called after the dialog closes. */
  readonly onSuccess?: (value: ValueOf<Name>) => void
  /** Replaces the dialog on success, for example with a link that is displayed once. */
  readonly result?: (value: ValueOf<Name>) => ReactNode
  readonly onClose: () => void
}

/** Runs the operation of a dialog. `dialog` contains the caller's dialog props and the state of the request. */
function useOperation<Name extends OperationName, Props extends OperationProps<Name>>(props: Props) {
  const { operation, parts, invalidates = [], success, onSuccess, result, onClose, ...dialogProps } = props
  const write = useWrite(operation, { invalidates })
  const submit = (): void =>
    write.mutate(parts as never, {
      onSuccess: ({ value }) => {
        if (success !== undefined) notifyWithWarnings(success, getWarnings(value))
        if (result === undefined) onClose()
        onSuccess?.(value)
      },
    })
  return {
    submit,
    resultView: write.data && result?.(write.data.value),
    dialog: { ...dialogProps, open: true, onOpenChange: onClose, isBusy: write.isPending, problem: write.error },
  }
}

function getWarnings(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || !('warnings' in value)) return []
  return value.warnings as readonly string[]
}

type Controlled = 'open' | 'onOpenChange' | 'isBusy' | 'problem'

export type OperationDialogProps<Name extends OperationName> = OperationProps<Name> &
  Omit<FormDialogProps, Controlled | 'onSubmit'> & { readonly children?: ReactNode }

/** Renders a form that calls an operation and closes on success. Displays problems at their fields and above the buttons. */
export function OperationDialog<Name extends OperationName>(props: OperationDialogProps<Name>) {
  const { submit, resultView, dialog } = useOperation<Name, OperationDialogProps<Name>>(props)
  if (resultView !== undefined) return resultView
  return (
    <FormDialog {...dialog} onSubmit={submit}>
      <FieldProblems details={dialog.problem?.details ?? []}>{dialog.children}</FieldProblems>
    </FormDialog>
  )
}

type ConfirmDialogProps<Name extends OperationName> = OperationProps<Name> &
  Omit<DeleteDialogProps, Controlled | 'onDelete'>

/** Asks for confirmation before calling an irreversible operation. */
export function ConfirmDialog<Name extends OperationName>(props: ConfirmDialogProps<Name>) {
  const { submit, dialog } = useOperation<Name, ConfirmDialogProps<Name>>(props)
  return <DeleteDialog {...dialog} onDelete={submit} />
}
