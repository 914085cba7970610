import { Info } from 'lucide-react'
import { useText } from '../../lib/language.ts'

/** Says what numbers do not do yet, so that nobody waits for a call. */
export function TelephoneNote() {
  const t = useText()
  return (
    <p className="flex items-start gap-2.5 rounded-md bg-sunken px-3 py-2.5">
      <Info aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
      <span>
        {t(
          'Numbers, their agents and their hours are stored. Calls by telephone come with a carrier connection, which this server does not have yet; calls in a browser need no number.',
        )}
      </span>
    </p>
  )
}
