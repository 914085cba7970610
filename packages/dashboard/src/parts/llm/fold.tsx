import { type ReactNode, useState } from 'react'
import { useFieldProblem } from '../../components/field.tsx'

/** One of several things with many fields, folded up until it is looked at. What the server finds wrong inside unfolds it. */
export function Fold({
  title,
  hint,
  name,
  isOpenFirst,
  children,
}: {
  readonly title: string
  readonly hint?: string
  /** Name in the body that is sent. */
  readonly name: string
  readonly isOpenFirst: boolean
  readonly children: ReactNode
}) {
  const [isOpen, setIsOpen] = useState(isOpenFirst)
  const hasProblem = useFieldProblem(name) !== null
  return (
    <details
      className="min-w-0 rounded-md border border-line"
      open={isOpen || hasProblem}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary className="px-3 py-3">
        <bdi className="font-medium break-words">{title}</bdi>{' '}
        {hint && <bdi className="break-words text-muted">{hint}</bdi>}
      </summary>
      <div className="flex min-w-0 flex-col gap-4 border-t border-line p-3">{children}</div>
    </details>
  )
}
