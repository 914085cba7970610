import { useText } from '../../lib/language.ts'

export interface Bar {
  readonly key: string
  /** What the bar stands for, in words. */
  readonly label: string
  readonly value: number
  /** The value with its unit. */
  readonly text: string
}

const HEIGHT = 160
const GAP_SHARE = 0.2

/** Values beside each other as bars. The same numbers stand in a table below it, for those who read them. */
export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const t = useText()
  const most = Math.max(...bars.map(({ value }) => value), 0)
  if (most === 0) return <p className="text-muted">{t('Nothing in this range.')}</p>
  const width = 100 / bars.length
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 100 ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-line text-brand-text"
      >
        {bars.map(({ key, value, label: name, text }, at) => {
          const height = (value / most) * HEIGHT
          return (
            <rect
              key={key}
              x={at * width + (width * GAP_SHARE) / 2}
              y={HEIGHT - height}
              width={width * (1 - GAP_SHARE)}
              height={height}
              fill="currentColor"
            >
              <title>{`${name}: ${text}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption className="flex justify-between gap-2 text-xs text-muted">
        <span>{bars[0]?.label}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.label : ''}</span>
      </figcaption>
    </figure>
  )
}
