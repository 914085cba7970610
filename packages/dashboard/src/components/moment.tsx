import { useNow } from '../lib/clock.ts'
import { useFormats } from '../lib/format.ts'

/** A time in the zone of the person. */
export function Moment({ at }: { readonly at: string | null }) {
  const formats = useFormats()
  if (at === null) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {formats.dateTime(at)}
    </time>
  )
}

/** How long ago something was, with the time itself when it is pointed at. */
export function Ago({ at }: { readonly at: string | null }) {
  const formats = useFormats()
  const nowMs = useNow()
  if (at === null) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} title={formats.dateTime(at)} className="whitespace-nowrap">
      {formats.ago(at, nowMs)}
    </time>
  )
}
