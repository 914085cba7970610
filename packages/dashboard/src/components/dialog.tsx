import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useId, useState } from 'react'
import { useText } from '../lib/language.ts'
import { Button, IconButton } from './button.tsx'
import { TextField } from './fields.tsx'
import { ProblemNote } from './states.tsx'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Buttons below the scrolling content, main button last. */
  readonly actions?: ReactNode
  readonly size?: 'normal' | 'wide' | 'full'
}

const FIRST_FIELD = 'form :is(input, textarea, select):not(:disabled, [type=checkbox], [type=radio])'
const SIZES = { normal: 'max-w-lg', wide: 'max-w-3xl', full: 'max-w-6xl' } as const

/** Focuses the first field instead of the close button. */
function focusFirstField(event: Event): void {
  const field = event.target instanceof Element ? event.target.querySelector<HTMLElement>(FIRST_FIELD) : null
  if (field === null) return
  event.preventDefault()
  field.focus()
}

export function Dialog({ open, onOpenChange, title, description, children, actions, size = 'normal' }: DialogProps) {
  const t = useText()
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          {...(description === undefined && { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirstField}
          className={clsx(
            'fixed inset-x-0 bottom-0 z-50 mx-auto flex max-h-[92dvh] w-full flex-col rounded-t-xl border border-line bg-panel shadow-xl sm:inset-y-0 sm:my-auto sm:h-fit sm:w-[calc(100%-2rem)] sm:rounded-xl',
            SIZES[size],
          )}
        >
          <div className="flex items-start gap-3 px-5 pt-4">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-base font-semibold" dir="auto">
                {title}
              </Radix.Title>
              {description !== undefined && (
                <Radix.Description asChild>
                  <div className="mt-1 text-muted" dir="auto">
                    {description}
                  </div>
                </Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton icon={X} label={t('Close')} className="-me-2 -mt-1" />
            </Radix.Close>
          </div>
          <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4 has-[>form:empty]:py-2">
            {children}
          </div>
          {actions !== undefined && (
            <div className="flex max-h-1/2 shrink-0 flex-wrap justify-end gap-2 overflow-y-auto border-t border-line px-5 py-3">
              {actions}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export interface FormDialogProps extends Omit<DialogProps, 'actions'> {
  readonly submitLabel: string
  readonly onSubmit: () => void
  readonly isBusy: boolean
  readonly canSubmit?: boolean
  readonly problem?: Error | null
  readonly kind?: 'primary' | 'danger'
}

export function FormDialog({
  submitLabel,
  onSubmit,
  isBusy,
  canSubmit = true,
  problem = null,
  kind = 'primary',
  children,
  ...dialog
}: FormDialogProps) {
  const t = useText()
  const formId = useId()
  const actions = (
    <>
      {problem && (
        <div className="w-full">
          <ProblemNote problem={problem} />
        </div>
      )}
      <Button onClick={() => dialog.onOpenChange(false)}>{t('Cancel')}</Button>
      <Button kind={kind} type="submit" form={formId} busy={isBusy} disabled={!canSubmit}>
        {submitLabel}
      </Button>
    </>
  )
  return (
    <Dialog {...dialog} actions={actions}>
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (canSubmit && !isBusy) onSubmit()
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}

export interface DeleteDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  readonly description: ReactNode
  /** Name that users type to confirm an irreversible deletion. */
  readonly name?: string
  readonly label: string
  readonly onDelete: () => void
  readonly isBusy: boolean
  readonly problem?: Error | null
}

export function DeleteDialog({ title, description, name, label, onDelete, ...rest }: DeleteDialogProps) {
  const t = useText()
  const [confirmation, setConfirmation] = useState('')
  const requiredName = name?.trim() ?? ''
  return (
    <FormDialog
      {...rest}
      title={title}
      description={description}
      kind="danger"
      submitLabel={label}
      canSubmit={requiredName === '' || confirmation.trim() === requiredName}
      onSubmit={onDelete}
    >
      {requiredName !== '' && (
        <TextField
          label={
            <>
              {t('Type the name to confirm:')}{' '}
              <bdi className="rounded bg-sunken px-1 font-mono break-all">{requiredName}</bdi>
            </>
          }
          value={confirmation}
          onChange={setConfirmation}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </FormDialog>
  )
}
