import { type ReactNode, useState } from 'react'
import { useFieldProblem } from '../../components/field.tsx'

/** Renders a collapsible group of fields. Opens if a field in the group has a problem. */
export function Collapsible({
  title,
  hint,
  name,
  isOpenInitially,
  children,
}: {
  readonly title: string
  readonly hint?: string
  /** Path in the request body. */
  readonly name: string
  readonly isOpenInitially: boolean
  readonly children: ReactNode
}) {
  const [isOpen, setIsOpen] = useState(isOpenInitially)
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
