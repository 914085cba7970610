import type { ReactNode } from 'react'
import { useFieldProblem } from '../../../components/field.tsx'

/** Ticks under one heading. */
export function CheckGroup({
  label,
  name,
  help,
  children,
}: {
  readonly label: string
  readonly name: string
  readonly help?: string | undefined
  readonly children: ReactNode
}) {
  const problem = useFieldProblem(name)
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" data-field={name}>
      <legend className="mb-1.5 font-medium">{label}</legend>
      {help && <p className="text-muted">{help}</p>}
      <div className="grid gap-x-5 sm:grid-cols-2">{children}</div>
      {problem && (
        <p role="alert" dir="auto" className="text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
