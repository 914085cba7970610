import { useNow } from '../lib/clock.ts'
import { useFormatter } from '../lib/format.ts'
import type { Column } from './data-list.tsx'

export function DateTime({ at }: { readonly at: string | null }) {
  const format = useFormatter()
  if (at === null) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {format.dateTime(at)}
    </time>
  )
}

/** Displays a relative time with the exact time as a tooltip. */
export function RelativeTime({ at }: { readonly at: string | null }) {
  const format = useFormatter()
  const nowMs = useNow()
  if (at === null) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} title={format.dateTime(at)} className="whitespace-nowrap">
      {format.relativeTime(at, nowMs)}
    </time>
  )
}

/** Returns a list column of relative times. */
export function buildTimeColumn<Row>(
  title: string,
  getTime: (row: Row) => string | null,
  options: Pick<Column<Row>, 'from' | 'width'> = {},
): Column<Row> {
  return {
    key: 'time',
    title,
    from: 'md',
    width: 'w-36',
    ...options,
    cell: (row) => <RelativeTime at={getTime(row)} />,
  }
}
