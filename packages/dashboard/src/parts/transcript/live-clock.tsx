import { useNow } from '../../lib/clock.ts'
import { useFormats } from '../../lib/format.ts'

/** How long something lasts already. */
export function LiveClock({ since }: { readonly since: string }) {
  const formats = useFormats()
  return <span className="tabular-nums">{formats.clock((useNow() - Date.parse(since)) / 1_000)}</span>
}
