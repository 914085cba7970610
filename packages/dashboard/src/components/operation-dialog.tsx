import type { ReactNode } from 'react'
import { useWrite } from '../lib/api/hooks.ts'
import type { OperationName, RequestParams, ValueOf } from '../lib/api/request.ts'
import { DeleteDialog, type DeleteDialogProps, FormDialog, type FormDialogProps } from './dialog.tsx'
import { FieldProblems } from './field.tsx'
import { notifyWithWarnings } from './toasts.tsx'

interface OperationProps<Name extends OperationName> {
  readonly operation: Name
  /** Parameters of the request. The current workspace is added automatically. */
  readonly params: RequestParams<Name>
  /** Operations to refetch afterwards. */
  readonly invalidates?: readonly OperationName[]
  /** Displayed on success with the warnings in the response, such as "Agent created". */
  readonly successMessage?: string
  /** Called after the dialog closes. */
  readonly onSuccess?: (value: ValueOf<Name>) => void
  /** Renders the result instead of the dialog, for example a link that is displayed once. */
  readonly renderResult?: (value: ValueOf<Name>) => ReactNode
  readonly onClose: () => void
}

/** Calls a dialog's operation. The returned `dialog` props include the state of the request. */
function useOperation<Name extends OperationName, Props extends OperationProps<Name>>(props: Props) {
  const {
    operation,
    params,
    invalidates = [],
    successMessage,
    onSuccess,
    renderResult,
    onClose,
    ...dialogProps
  } = props
  const write = useWrite(operation, { invalidates })
  const submit = (): void =>
    write.mutate(params as never, {
      onSuccess: ({ value }) => {
        if (successMessage !== undefined) notifyWithWarnings(successMessage, getWarnings(value))
        if (renderResult === undefined) onClose()
        onSuccess?.(value)
      },
    })
  return {
    submit,
    resultView: write.data && renderResult?.(write.data.value),
    dialog: { ...dialogProps, open: true, onOpenChange: onClose, isBusy: write.isPending, problem: write.error },
  }
}

function getWarnings(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || !('warnings' in value)) return []
  return value.warnings as readonly string[]
}

type ControlledProp = 'open' | 'onOpenChange' | 'isBusy' | 'problem'

export type OperationDialogProps<Name extends OperationName> = OperationProps<Name> &
  Omit<FormDialogProps, ControlledProp | 'onSubmit'> & { readonly children?: ReactNode }

/** Renders a form that calls an operation and closes on success. Displays errors at their fields and above the buttons. */
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
  Omit<DeleteDialogProps, ControlledProp | 'onDelete'>

/** Asks for confirmation before calling an irreversible operation. */
export function ConfirmDialog<Name extends OperationName>(props: ConfirmDialogProps<Name>) {
  const { submit, dialog } = useOperation<Name, ConfirmDialogProps<Name>>(props)
  return <DeleteDialog {...dialog} onDelete={submit} />
}
