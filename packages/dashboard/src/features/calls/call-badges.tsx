import type { CallStatus } from '@parley/contract/call'
import { Badge } from '../../components/badge.tsx'
import { useText } from '../../lib/language.ts'
import { STATUS_LOOKS } from './call-words.ts'

/** How far a call is, in a word. */
export function CallStatusBadge({ status }: { readonly status: CallStatus }) {
  const t = useText()
  const { label, tone } = STATUS_LOOKS[status]
  return (
    <Badge tone={tone}>
      {status === 'ongoing' && (
        <span aria-hidden="true" className="size-1.5 animate-pulse rounded-full bg-brand-text" />
      )}
      {t(label)}
    </Badge>
  )
}
