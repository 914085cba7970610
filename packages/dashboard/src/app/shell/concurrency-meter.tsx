import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

const EVERY_MS = 10_000

/** How many calls the workspace holds of those that it may. */
export function ConcurrencyMeter() {
  const t = useText()
  const { data } = useRead('getConcurrency', {}, { everyMs: EVERY_MS, keepsPrevious: true })
  const used = data?.currentUsage ?? 0
  const most = data?.maxConcurrent ?? 0
  const share = most === 0 ? 0 : Math.min(1, used / most)
  return (
    <div className="flex min-h-10 flex-col justify-center gap-1.5 px-2">
      <div className="flex justify-between gap-2 text-xs text-muted">
        <span>{t('Live calls')}</span>
        <span className="tabular-nums">{data === undefined ? '–' : `${used} / ${most}`}</span>
      </div>
      <div aria-hidden="true" className="h-1 overflow-hidden rounded-full bg-sunken">
        <div className="h-full bg-brand-text transition-[width]" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  )
}
