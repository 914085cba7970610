import { Ear, Square, Volume2, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { message, useText } from '../../lib/language.ts'
import { LevelMeter } from '../../parts/test-panel/level-meter.tsx'
import { useRestoreFocus } from '../../parts/test-panel/use-restore-focus.ts'
import type { Listening } from './use-listening.ts'

const TOKEN_PROBLEM = message('Could not start listening. Try again.')

/** Problem and fix by error code. */
const PROBLEMS: Readonly<Record<string, string>> = {
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
export function ListenPanel({ listening }: { readonly listening: Listening }) {
  return listening.phase === 'idle' ? null : <ListenControls listening={listening} />
}

function ListenControls({ listening }: { readonly listening: Listening }) {
  const t = useText()
  // The button that had focus was removed.
  const panel = useRestoreFocus<HTMLElement>()
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={t('Listen to the call')}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-panel p-4 outline-none"
    >
      {listening.phase === 'ended' ? (
        <ListeningEnded listening={listening} />
      ) : (
        <ListeningStatus listening={listening} />
      )}
    </section>
  )
}

function ListeningStatus({ listening }: { readonly listening: Listening }) {
  const t = useText()
  const { phase, isReconnecting, isBlocked, level } = listening
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Ear aria-hidden="true" className="size-5 shrink-0 text-brand-text" />
        <p role="status" className="min-w-40 flex-1 font-medium">
          {phase === 'starting'
            ? t('Connecting…')
            : isReconnecting
              ? t('Reconnecting…')
              : t('Listening. Nobody hears you.')}
        </p>
        {phase === 'live' && (
          <div className="flex w-full min-w-0 sm:w-64">
            <LevelMeter label={t('Volume')} side="both" levels={level} />
          </div>
        )}
        <Button icon={Square} onClick={listening.stop}>
          {t('Stop listening')}
        </Button>
      </div>
      {isBlocked && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <p className="min-w-0 flex-1 basis-48">{t('The browser blocks audio until you click.')}</p>
          <Button icon={Volume2} onClick={listening.resumeAudio}>
            {t('Play audio')}
          </Button>
        </div>
      )}
    </>
  )
}

function ListeningEnded({ listening: { problem, callProblem, start, stop } }: { readonly listening: Listening }) {
  const t = useText()
  const hasFailed = problem !== null || callProblem !== null
  const problemText = callProblem === null ? undefined : PROBLEMS[callProblem.code]
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
