import type { ReactNode } from 'react'
import { DeleteDialog, FormDialog, type FormDialogProps } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { OperationName, RequestParts, ValueOf } from '../../lib/api/request.ts'

interface WriteProps<Name extends OperationName> {
  readonly operation: Name
  readonly parts: RequestParts<Name>
  /** Reads that are out of date afterward. */
  readonly refreshes: readonly OperationName[]
  /** Shown as a message on success. */
  readonly done?: string
  readonly onClose: () => void
  /** Called on success instead of `onClose`. */
  readonly onDone?: (value: ValueOf<Name>) => void
}

function useDialogWrite<Name extends OperationName>(props: WriteProps<Name>) {
  const { operation, parts, refreshes, done, onClose, onDone } = props
  const write = useWrite(operation, { refreshes })
  return {
    details: write.error?.details ?? [],
    dialog: { open: true, onOpenChange: onClose, isBusy: write.isPending, problem: write.error },
    submit: (): void =>
      write.mutate(parts as never, {
        onSuccess: ({ value }) => {
          if (done !== undefined) notify(done)
          if (onDone === undefined) onClose()
          else onDone(value)
        },
      }),
  }
}

export interface ConfirmWriteProps<Name extends OperationName> extends WriteProps<Name> {
  readonly title: string
  readonly consequence: ReactNode
  readonly label: string
  /** Must be typed first. */
  readonly name?: string
}

/** Asks before it calls an operation that cannot be undone. */
export function ConfirmWrite<Name extends OperationName>(props: ConfirmWriteProps<Name>) {
  const { dialog, submit } = useDialogWrite(props)
  const { title, consequence, label, name } = props
  const asked = { title, consequence, label, ...(name !== undefined && { name }) }
  return <DeleteDialog {...dialog} {...asked} onDelete={submit} />
}

export interface FormWriteProps<Name extends OperationName>
  extends WriteProps<Name>,
    Pick<FormDialogProps, 'title' | 'description' | 'size' | 'submitLabel' | 'canSubmit' | 'children'> {}

/** A form that calls an operation; problems of its fields are shown at the fields. */
export function FormWrite<Name extends OperationName>(props: FormWriteProps<Name>) {
  const { dialog, details, submit } = useDialogWrite(props)
  const { operation: _o, parts: _p, refreshes: _r, done: _d, onClose: _c, onDone: _n, children, ...form } = props
  return (
    <FormDialog {...dialog} {...form} onSubmit={submit}>
      <FieldProblems details={details}>{children}</FieldProblems>
    </FormDialog>
  )
}
