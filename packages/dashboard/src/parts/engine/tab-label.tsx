import { Badge } from '../../components/badge.tsx'
import { useText } from '../../lib/language.ts'

/** Renders a tab label with its number of problems. */
export function TabLabel({ label, count }: { readonly label: string; readonly count: number }) {
  const t = useText()
  if (count === 0) return label
  return (
    <span className="inline-flex items-center gap-1.5">
      {label}
      <Badge tone="bad">
        <span aria-hidden="true">{count}</span>
        <span className="sr-only">{t('{count, plural, one {# problem} other {# problems}}', { count })}</span>
      </Badge>
    </span>
  )
}
