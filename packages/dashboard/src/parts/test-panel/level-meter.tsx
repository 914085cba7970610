import { type Store, useStore } from '../../lib/store.ts'

/** Displays the volume of one side of a call. */
export function LevelMeter<Side extends string>({
  label,
  side,
  levels,
}: {
  readonly label: string
  readonly side: Side
  readonly levels: Store<Readonly<Record<Side, number>>>
}) {
  const level = useStore(levels)[side]
  return (
    <div className="flex min-w-0 flex-1 items-center gap-2" aria-hidden="true">
      <span className="max-w-28 shrink-0 truncate text-xs text-muted" dir="auto">
        {label}
      </span>
      <span className="h-2 min-w-8 flex-1 overflow-hidden rounded-full bg-sunken">
        <span
          className="block h-full origin-left rounded-full bg-brand-text transition-transform duration-75 rtl:origin-right"
          style={{ transform: `scaleX(${level.toFixed(3)})` }}
        />
      </span>
    </div>
  )
}
