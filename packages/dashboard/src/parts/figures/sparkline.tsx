const WIDTH = 72
const HEIGHT = 24
const STROKE = 1.5

/** Points of a line through values, in a picture of `width` by `height`; a line of one value is level. */
export function linePoints(values: readonly number[], width: number, height: number): string {
  const most = Math.max(...values, 0)
  const step = values.length > 1 ? width / (values.length - 1) : 0
  return values
    .map((value, at) => {
      const y = most === 0 ? height : height - (value / most) * height
      return `${(at * step).toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}

/** The course of a figure without axes; its numbers stand elsewhere. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return null
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 ${-STROKE} ${WIDTH} ${HEIGHT + 2 * STROKE}`}
      className="hidden h-7 w-18 shrink-0 text-brand-text sm:block"
    >
      <polyline
        points={linePoints(values, WIDTH, HEIGHT)}
        fill="none"
        stroke="currentColor"
        strokeWidth={STROKE}
        strokeLinejoin="round"
      />
    </svg>
  )
}
