import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

/** A part that is folded away until it is wanted. */
export function Fold({
  title,
  onToggle,
  children,
}: {
  readonly title: string
  readonly onToggle?: (isOpen: boolean) => void
  readonly children: ReactNode
}) {
  return (
    <details className="group min-w-0" onToggle={(event) => onToggle?.(event.currentTarget.open)}>
      <summary className="flex min-h-9 list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90 rtl:-scale-x-100"
        />
        {title}
      </summary>
      <div className="flex flex-col gap-3 pt-2">{children}</div>
    </details>
  )
}
