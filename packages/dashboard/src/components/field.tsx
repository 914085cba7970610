import type { ErrorDetail } from '@parley/contract/errors'
import { clsx } from 'clsx'
import { createContext, type ReactNode, useContext, useId } from 'react'
import { useText } from '../lib/language.ts'

const FieldDetailsContext = createContext<readonly ErrorDetail[]>([])

/** Provides server problems to the fields inside. */
export function FieldProblems({
  details,
  children,
}: {
  readonly details: readonly ErrorDetail[]
  readonly children: ReactNode
}) {
  return <FieldDetailsContext value={details}>{children}</FieldDetailsContext>
}

/** Returns the server's problem with a body field or a value inside that field. */
export function useFieldProblem(name: string | undefined): string | null {
  const details = useContext(FieldDetailsContext)
  if (name === undefined) return null
  const fieldDetails = details.filter(
    ({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
  )
  if (fieldDetails.length === 0) return null
  return fieldDetails
    .map(({ path, message }) => (path === name ? message : `${path.slice(name.length)}: ${message}`))
    .join('; ')
}

/** Props that a field passes to its control. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

export interface FieldProps {
  readonly label: ReactNode
  /** One sentence. Appears below the control by default, so that controls in a row align. */
  readonly help?: ReactNode
  readonly helpPosition?: 'above' | 'below'
  /** Name in the request body, such as `voice_id`, used to find the field's problems. */
  readonly name?: string
  readonly error?: string | null
  readonly isOptional?: boolean
  readonly className?: string
  readonly children: (control: ControlProps) => ReactNode
}

export function Field({
  label,
  help,
  helpPosition = 'below',
  name,
  error,
  isOptional = false,
  className,
  children,
}: FieldProps) {
  const t = useText()
  const id = useId()
  const fieldProblem = useFieldProblem(name)
  const problem = error ?? fieldProblem
  const describedBy = clsx(help && `${id}-help`, problem && `${id}-problem`)
  const helpText = help && (
    <p id={`${id}-help`} className="text-muted">
      {help}
    </p>
  )
  return (
    <div className={clsx('flex min-w-0 flex-col gap-1.5', className)} data-field={name}>
      <label id={`${id}-label`} htmlFor={id} className="font-medium">
        {label}
        {isOptional && <span className="ms-1.5 font-normal text-muted">{t('optional')}</span>}
      </label>
      {helpPosition === 'above' && helpText}
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': problem ? true : undefined })}
      {helpPosition === 'below' && helpText}
      {problem && (
        <p id={`${id}-problem`} role="alert" dir="auto" className="text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

export const CONTROL_CLASS =
  'min-h-9 w-full min-w-0 rounded-md border border-line-strong bg-panel px-2.5 py-1.5 text-ink placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad'
