import { Keyboard, Phone, PhoneOff } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { CallLines } from './call-lines.tsx'
import type { Trouble } from './call-state.ts'
import { endingWords, mayType, problemWords } from './call-words.ts'
import { DeviceFold } from './device-fold.tsx'
import { LiveCallView } from './live-call.tsx'
import { StartProblem } from './start-problem.tsx'
import { useLostFocus } from './use-lost-focus.ts'
import { type ChosenDevices, deviceTrouble, type TestCall } from './use-test-call.ts'

/** The call of the panel: before it, in it and after it. */
export function CallPanel({ call }: { readonly call: TestCall }) {
  const t = useText()
  const [chosen, setChosen] = useState<ChosenDevices>({ microphone: null, speaker: null })
  const [deviceProblem, setDeviceProblem] = useState('')
  const isLive = call.phase === 'live'

  async function choose(changes: Partial<ChosenDevices>): Promise<void> {
    setDeviceProblem('')
    try {
      if (isLive) await call.chooseDevices(changes)
      setChosen((current) => ({ ...current, ...changes }))
    } catch (error) {
      setDeviceProblem(t(deviceTrouble(error)))
    }
  }

  const start = (by: 'voice' | 'typing'): void => void call.start(chosen, by)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {call.phase === 'over' && <EndedCall call={call} onStart={() => start('voice')} />}
      {isLive && <LiveCallView call={call} />}
      {call.phase !== 'over' && !isLive && <StartCall call={call} onStart={start} />}
      <DeviceFold chosen={chosen} onChoose={(changes) => void choose(changes)} problem={deviceProblem} />
    </div>
  )
}

function StartCall({
  call: { phase, trouble, problem },
  onStart,
}: {
  readonly call: TestCall
  readonly onStart: (by: 'voice' | 'typing') => void
}) {
  const t = useText()
  const isBusy = phase !== 'idle'
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-muted">
        {t(
          'Talk with the newest version of the agent. The browser asks for your microphone; the call is kept with the others.',
        )}
      </p>
      {trouble && <TroubleNote trouble={trouble} />}
      {problem && <StartProblem problem={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" icon={Phone} busy={isBusy} onClick={() => onStart('voice')}>
          {trouble === null ? t('Start call') : t('Try again')}
        </Button>
        {trouble !== null && mayType(trouble.code) && (
          <Button icon={Keyboard} onClick={() => onStart('typing')}>
            {t('Go on by typing')}
          </Button>
        )}
      </div>
      {phase === 'joining' && (
        <p role="status" className="text-muted">
          {t('Waiting for the microphone and the agent …')}
        </p>
      )}
    </div>
  )
}

function TroubleNote({ trouble: { code, message } }: { readonly trouble: Trouble }) {
  const t = useText()
  const words = problemWords(code)
  return (
    <div role="alert" className="flex w-full flex-col gap-1 rounded-md bg-bad-soft px-3 py-2.5 text-bad" dir="auto">
      <p className="font-medium">{words === null ? message : t(words[0])}</p>
      {words && <p>{t(words[1])}</p>}
    </div>
  )
}

function EndedCall({ call, onStart }: { readonly call: TestCall; readonly onStart: () => void }) {
  const t = useText()
  const { clock } = useFormats()
  const workspaceId = useWorkspaceId()
  const { callId, endReason, durationMs, trouble } = call
  const place = useLostFocus<HTMLDivElement>()
  return (
    <div ref={place} tabIndex={-1} className="flex min-w-0 flex-col gap-3 outline-none">
      <CallLines call={call} />
      {trouble && <TroubleNote trouble={trouble} />}
      <p role="status" className="flex items-center gap-2">
        <PhoneOff aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span>
          {t(endingWords(endReason ?? ''))} {t('It lasted {time}.', { time: clock((durationMs ?? 0) / 1_000) })}
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" icon={Phone} onClick={onStart}>
          {t('Talk again')}
        </Button>
        {callId !== null && (
          <ButtonLink kind="quiet" to="/$workspaceId/calls/$callId" params={{ workspaceId, callId }}>
            {t('Open the call’s page')}
          </ButtonLink>
        )}
      </div>
    </div>
  )
}
