import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { SkeletonBar } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'

export interface StatProps {
  readonly label: string
  /** The formatted value with its unit, or null if unknown. */
  readonly value: string | null
  /** A second line, such as a comparison. */
  readonly note?: ReactNode
  readonly tone?: 'plain' | 'bad'
  /** Daily values, oldest first, displayed as a sparkline. */
  readonly trend?: readonly number[]
}

export function Stat({ label, value, note, tone = 'plain', trend }: StatProps) {
  return (
    <div className="flex h-full min-h-28 min-w-0 flex-col gap-1 rounded-lg border border-line bg-panel p-4">
      <h2 className="text-muted">{label}</h2>
      <p className={clsx('truncate text-2xl font-semibold tabular-nums', tone === 'bad' && 'text-bad')}>
        {value ?? '–'}
      </p>
      <div className="mt-auto flex items-end justify-between gap-2">
        <div className="text-xs text-muted">{note}</div>
        {trend && <Sparkline values={trend} />}
      </div>
    </div>
  )
}

const STATS_GRID = 'grid grid-cols-[repeat(auto-fit,minmax(min(10rem,45%),1fr))] gap-3'

/** Renders a placeholder of the same size as the stats, which prevents a layout shift. */
export function StatsSkeleton({ count }: { readonly count: number }) {
  const t = useText()
  return (
    <div role="status">
      <span className="sr-only">{t('Loading…')}</span>
      <div aria-hidden="true" className={STATS_GRID}>
        {Array.from({ length: count }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no IDs.
          <div key={index} className="flex min-h-28 flex-col gap-2 rounded-lg border border-line bg-panel p-4">
            <SkeletonBar className="h-4 w-2/3" />
            <SkeletonBar className="h-8 w-1/2" />
          </div>
        ))}
      </div>
    </div>
  )
}

export function Stats({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section aria-label={label} className={STATS_GRID}>
      {children}
    </section>
  )
}

const SPARKLINE_WIDTH = 72
const SPARKLINE_HEIGHT = 24
const STROKE_WIDTH = 1.5

/** Formats values as the points of an SVG polyline. */
export function formatLinePoints(values: readonly number[], width: number, height: number): string {
  const maximum = Math.max(...values, 0)
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, index) => {
      const y = maximum === 0 ? height : height - (value / maximum) * height
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}

function Sparkline({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return null
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 ${-STROKE_WIDTH} ${SPARKLINE_WIDTH} ${SPARKLINE_HEIGHT + 2 * STROKE_WIDTH}`}
      className="hidden h-7 w-18 shrink-0 text-brand-text sm:block"
    >
      <polyline
        points={formatLinePoints(values, SPARKLINE_WIDTH, SPARKLINE_HEIGHT)}
        fill="none"
        stroke="currentColor"
        strokeWidth={STROKE_WIDTH}
        strokeLinejoin="round"
      />
    </svg>
  )
}
