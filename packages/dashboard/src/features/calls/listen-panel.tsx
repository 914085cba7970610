import { Ear, Square, Volume2, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { message, useText } from '../../lib/language.ts'
import type { Trouble } from '../../parts/test-panel/call-state.ts'
import { LevelMeter } from '../../parts/test-panel/level-meter.tsx'
import { useLostFocus } from '../../parts/test-panel/use-lost-focus.ts'
import type { Listening } from './use-listening.ts'

const TOKEN = message('Listening could not begin. Try again.')

/** What is wrong, and what the person can do about it, for those who only listen. */
const PROBLEMS: Readonly<Record<string, string>> = {
  insecure_context: message('A browser plays calls over https:// only, or at http://localhost on the machine itself.'),
  unsupported_browser: message('This browser cannot process the sound of a call. Use a current one.'),
  token_invalid: TOKEN,
  token_used: TOKEN,
  token_expired: TOKEN,
  token_revoked: message('You no longer have access to this call. Sign in again, or ask for access.'),
  protocol_mismatch: message('This page is older or newer than the server. Reload it.'),
  unreachable: message('The sound of the call cannot be reached. Check your connection, and try again.'),
  connection_lost: message('The connection was lost and did not come back in time. Try again.'),
  unavailable: message('The call cannot be heard right now: no more than five people listen to one. Try again later.'),
}

/** What is heard of a live call right now, and why not; nothing until somebody wants to listen. */
export function ListenPanel({ listening }: { readonly listening: Listening }) {
  const t = useText()
  const { phase } = listening
  if (phase === 'idle') return null
  return <ShownPanel listening={listening} label={t('Listen to the call')} />
}

function ShownPanel({ listening, label }: { readonly listening: Listening; readonly label: string }) {
  const { phase } = listening
  // The button that was pressed is gone.
  const place = useLostFocus<HTMLElement>()
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label={label}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-panel p-4 outline-none"
    >
      {phase === 'over' ? <NothingHeard listening={listening} /> : <Heard listening={listening} />}
    </section>
  )
}

function Heard({ listening }: { readonly listening: Listening }) {
  const t = useText()
  const { phase, isReconnecting, isBlocked, level } = listening
  const words =
    phase === 'starting' ? t('Connecting …') : isReconnecting ? t('Reconnecting …') : t('Listening. Nobody hears you.')
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Ear aria-hidden="true" className="size-5 shrink-0 text-brand-text" />
        <p role="status" className="min-w-40 flex-1 font-medium">
          {words}
        </p>
        {phase === 'live' && (
          <div className="flex w-full min-w-0 sm:w-64">
            <LevelMeter label={t('Both sides')} side="both" levels={level} />
          </div>
        )}
        <Button icon={Square} onClick={listening.stop}>
          {t('Stop listening')}
        </Button>
      </div>
      {isBlocked && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <p className="min-w-0 flex-1 basis-48">{t('The browser plays no sound before you touch the page.')}</p>
          <Button icon={Volume2} onClick={listening.resumeAudio}>
            {t('Play the sound')}
          </Button>
        </div>
      )}
    </>
  )
}

function NothingHeard({ listening: { problem, trouble, start, stop } }: { readonly listening: Listening }) {
  const t = useText()
  const isOver = problem === null && trouble === null
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      {trouble && <TroubleNote trouble={trouble} />}
      <div className="flex flex-wrap items-center gap-2">
        {isOver && (
          <p role="status" className="min-w-40 flex-1">
            {t('The call is over. There is nothing more to hear.')}
          </p>
        )}
        {!isOver && (
          <Button icon={Ear} onClick={start}>
            {t('Try again')}
          </Button>
        )}
        <Button kind="quiet" icon={X} onClick={stop}>
          {t('Close')}
        </Button>
      </div>
    </>
  )
}

function TroubleNote({ trouble: { code, message } }: { readonly trouble: Trouble }) {
  const t = useText()
  const words = listenProblem(code)
  return (
    <p role="alert" dir="auto" className="rounded-md bg-bad-soft px-3 py-2.5 text-bad">
      {words === null ? message : t(words)}
    </p>
  )
}

/** A problem in English, to be shown through the catalogue; null for codes that only the server knows. */
function listenProblem(code: string): string | null {
  return PROBLEMS[code] ?? null
}
