import { Ear, Square, Volume2, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { message, useText } from '../../lib/language.ts'
import { LevelMeter } from '../../parts/test-panel/level-meter.tsx'
import { useRestoreFocus } from '../../parts/test-panel/use-restore-focus.ts'
import type { CallListener } from './use-call-listener.ts'

const TOKEN_PROBLEM = message('Could not start listening. Try again.')

/** Error messages by error code. */
const PROBLEM_MESSAGES: Readonly<Record<string, string>> = {
  insecure_context: message('Browsers allow call audio only over https:// or at http://localhost.'),
  unsupported_browser: message('This browser cannot play live calls. Use a current version.'),
  token_invalid: TOKEN_PROBLEM,
  token_used: TOKEN_PROBLEM,
  token_expired: TOKEN_PROBLEM,
  token_revoked: message('You no longer have access to this call. Sign in again or ask for access.'),
  protocol_mismatch: message('This page and the server have different versions. Reload the page.'),
  unreachable: message('The call’s audio is unreachable. Check your connection and try again.'),
  connection_lost: message('The connection was lost. Try again.'),
  unavailable: message('Five people are already listening to this call. Try again later.'),
}

/** Displays the controls after the user starts listening. */
export function ListenPanel({ listener }: { readonly listener: CallListener }) {
  return listener.phase === 'idle' ? null : <ListenControls listener={listener} />
}

function ListenControls({ listener }: { readonly listener: CallListener }) {
  const t = useText()
  // Restores the focus, because the button that had it was removed.
  const panel = useRestoreFocus<HTMLElement>()
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={t('Listen to the call')}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-panel p-4 outline-none"
    >
      {listener.phase === 'ended' ? <ListeningEnded listener={listener} /> : <ListeningStatus listener={listener} />}
    </section>
  )
}

function ListeningStatus({ listener }: { readonly listener: CallListener }) {
  const t = useText()
  const { phase, isReconnecting, isBlocked, level } = listener
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Ear aria-hidden="true" className="size-5 shrink-0 text-brand-text" />
        <p role="status" className="min-w-40 flex-1 font-medium">
          {phase === 'starting'
            ? t('Connecting…')
            : isReconnecting
              ? t('Reconnecting…')
              : t('Listening only. Nobody can hear you.')}
        </p>
        {phase === 'live' && (
          <div className="flex w-full min-w-0 sm:w-64">
            <LevelMeter label={t('Volume')} side="both" levels={level} />
          </div>
        )}
        <Button icon={Square} onClick={listener.stop}>
          {t('Stop listening')}
        </Button>
      </div>
      {isBlocked && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <p className="min-w-0 flex-1 basis-48">{t('The browser blocks audio until you click.')}</p>
          <Button icon={Volume2} onClick={listener.resumeAudio}>
            {t('Play audio')}
          </Button>
        </div>
      )}
    </>
  )
}

function ListeningEnded({ listener: { problem, callProblem, start, stop } }: { readonly listener: CallListener }) {
  const t = useText()
  const hasFailed = problem !== null || callProblem !== null
  const problemText = callProblem === null ? undefined : PROBLEM_MESSAGES[callProblem.code]
  return (
    <>
      {problem && <ProblemNote problem={problem} />}
      {callProblem && (
        <p role="alert" dir="auto" className="rounded-md bg-bad-soft px-3 py-2.5 text-bad">
          {problemText === undefined ? callProblem.message : t(problemText)}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {hasFailed ? (
          <Button icon={Ear} onClick={start}>
            {t('Try again')}
          </Button>
        ) : (
          <p role="status" className="min-w-40 flex-1">
            {t('The call has ended.')}
          </p>
        )}
        <Button kind="quiet" icon={X} onClick={stop}>
          {t('Close')}
        </Button>
      </div>
    </>
  )
}
