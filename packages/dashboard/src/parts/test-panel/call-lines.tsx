import type { ReactNode } from 'react'
import { useText } from '../../lib/language.ts'
import { CallLineView } from './call-line.tsx'
import type { CallState } from './call-state.ts'
import { useFollowEnd } from './use-follow-end.ts'

/** What was said in a call so far, and what happened. `note` takes its room from it, so that nothing below moves. */
export function CallLines({ call, note }: { readonly call: CallState; readonly note?: ReactNode }) {
  const t = useText()
  const end = useFollowEnd<HTMLDivElement>()
  return (
    <div className="flex h-[min(24rem,50dvh)] flex-col gap-3">
      {note}
      <div
        {...end}
        role="log"
        aria-label={t('Captions')}
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto rounded-md border border-line p-3"
      >
        {call.lines.length === 0 && <p className="m-auto text-center text-muted">{t('Nothing was said yet.')}</p>}
        {call.lines.map((line) => (
          <CallLineView key={line.id} line={line} agentName={call.agentName || t('The agent')} />
        ))}
      </div>
    </div>
  )
}
