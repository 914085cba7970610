import { useNow } from '../lib/clock.ts'
import { useFormatter } from '../lib/format.ts'
import type { Column } from './data-list.tsx'

export function DateTime({ time }: { readonly time: string | null }) {
  const format = useFormatter()
  if (time === null) return <span className="text-muted">–</span>
  return (
    <time dateTime={time} className="whitespace-nowrap">
      {format.dateTime(time)}
    </time>
  )
}

/** Displays a relative time with the exact time as a tooltip. */
export function RelativeTime({ time }: { readonly time: string | null }) {
  const format = useFormatter()
  const nowMs = useNow()
  if (time === null) return <span className="text-muted">–</span>
  return (
    <time dateTime={time} title={format.dateTime(time)} className="whitespace-nowrap">
      {format.relativeTime(time, nowMs)}
    </time>
  )
}

/** Returns a list column of relative times. */
export function buildTimeColumn<Row>(
  title: string,
  getTime: (row: Row) => string | null,
  options: Pick<Column<Row>, 'visibleFrom' | 'width'> = {},
): Column<Row> {
  return {
    key: 'time',
    title,
    visibleFrom: 'md',
    width: 'w-36',
    ...options,
    cell: (row) => <RelativeTime time={getTime(row)} />,
  }
}
