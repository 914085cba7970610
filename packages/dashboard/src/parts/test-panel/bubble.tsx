import { clsx } from 'clsx'
import type { ReactNode } from 'react'

/** What one side said. */
export function Bubble({
  side,
  speaker,
  isFaint = false,
  note,
  children,
}: {
  readonly side: 'person' | 'agent'
  /** Who said it, for those who do not see on which side it stands. */
  readonly speaker: string
  /** It may still change. */
  readonly isFaint?: boolean
  readonly note?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div
      className={clsx(
        'flex max-w-[85%] min-w-0 flex-col gap-1',
        side === 'person' ? 'items-end self-end' : 'self-start',
      )}
    >
      <span className="sr-only">{speaker}</span>
      <p
        dir="auto"
        className={clsx(
          'min-w-0 rounded-lg px-3 py-2 whitespace-pre-wrap',
          side === 'person' ? 'bg-brand text-on-brand' : 'bg-sunken text-ink',
          isFaint && 'italic',
        )}
      >
        {children}
      </p>
      {note && <div className="flex flex-wrap gap-x-3 px-1 text-xs text-muted">{note}</div>}
    </div>
  )
}
