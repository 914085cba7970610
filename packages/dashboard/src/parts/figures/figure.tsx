import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { SkeletonBar } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { Sparkline } from './sparkline.tsx'

export interface FigureProps {
  readonly label: string
  /** With its unit; null while it is not known or where there is none. */
  readonly value: string | null
  /** One line more, such as what is compared with. */
  readonly note?: ReactNode
  readonly tone?: 'plain' | 'bad'
  /** How it went over the last days, oldest first. */
  readonly course?: readonly number[]
}

/** One figure with its name. */
export function Figure({ label, value, note, tone = 'plain', course }: FigureProps) {
  return (
    <div className="flex h-full min-h-28 min-w-0 flex-col gap-1 rounded-lg border border-line bg-panel p-4">
      <h2 className="text-muted">{label}</h2>
      <p className={clsx('truncate text-2xl font-semibold tabular-nums', tone === 'bad' && 'text-bad')}>
        {value ?? '–'}
      </p>
      <div className="mt-auto flex items-end justify-between gap-2">
        <div className="text-xs text-muted">{note}</div>
        {course && <Sparkline values={course} />}
      </div>
    </div>
  )
}

/** As many beside each other as fit. */
const GRID = 'grid grid-cols-[repeat(auto-fit,minmax(min(10rem,45%),1fr))] gap-3'

/** Stands where figures will: of their size, so that nothing below them moves. */
export function FiguresSkeleton({ count }: { readonly count: number }) {
  const t = useText()
  return (
    <div role="status">
      <span className="sr-only">{t('Loading …')}</span>
      <div aria-hidden="true" className={GRID}>
        {Array.from({ length: count }, (_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places have no identity.
          <div key={place} className="flex min-h-28 flex-col gap-2 rounded-lg border border-line bg-panel p-4">
            <SkeletonBar className="h-4 w-2/3" />
            <SkeletonBar className="h-8 w-1/2" />
          </div>
        ))}
      </div>
    </div>
  )
}

/** Figures of one kind. */
export function Figures({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <section aria-label={label} className={GRID}>
      {children}
    </section>
  )
}
