import { useText } from '../../lib/language.ts'
import { CallLineView } from './call-line.tsx'
import type { CallState } from './call-state.ts'
import { useFollowEnd } from './use-follow-end.ts'

/** What was said in a call so far, and what happened. */
export function CallLines({ call }: { readonly call: CallState }) {
  const t = useText()
  const end = useFollowEnd<HTMLDivElement>()
  return (
    <div
      {...end}
      role="log"
      aria-label={t('Captions')}
      aria-live="polite"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
      tabIndex={0}
      className="flex h-[min(24rem,50dvh)] flex-col gap-3 overflow-y-auto rounded-md border border-line p-3"
    >
      {call.lines.length === 0 && <p className="m-auto text-center text-muted">{t('Nothing was said yet.')}</p>}
      {call.lines.map((line) => (
        <CallLineView key={line.id} line={line} agentName={call.agentName || t('The agent')} />
      ))}
    </div>
  )
}
