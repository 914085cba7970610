import { Mic, MicOff, PhoneOff } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useNow } from '../../lib/clock.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { CallLines } from './call-lines.tsx'
import { activityWords, warningWords } from './call-words.ts'
import { LevelMeter } from './level-meter.tsx'
import { MessageBox } from './message-box.tsx'
import type { TestCall } from './use-test-call.ts'

/** A call that goes on. */
export function LiveCallView({ call }: { readonly call: TestCall }) {
  const t = useText()
  const { agentName, standIns, warning, isMuted } = call
  const words = warning === null ? null : warningWords(warning.code)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 truncate font-semibold" dir="auto">
          {agentName || t('The agent')}
        </span>
        <span role="status">{t(activityWords(call))}</span>
        <Timer call={call} />
      </div>
      {standIns.length > 0 && (
        <ul className="flex flex-col gap-1 rounded-md bg-warn-soft px-3 py-2 text-warn" dir="auto">
          {standIns.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <CallLines
        call={call}
        note={
          warning && (
            <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn" dir="auto">
              {words === null ? warning.message : `${t(words[0])} ${t(words[1])}`}
            </p>
          )
        }
      />
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        <LevelMeter label={t('You')} side="user" levels={call.levels} />
        <LevelMeter label={agentName || t('The agent')} side="agent" levels={call.levels} />
      </div>
      <MessageBox label={t('Message')} placeholder={t('Type instead of speaking')} onSend={call.say} />
      <div className="flex flex-wrap gap-2">
        <Button icon={isMuted ? MicOff : Mic} aria-pressed={isMuted} onClick={() => call.setMuted(!isMuted)}>
          {t('Mute')}
        </Button>
        <Button kind="danger" icon={PhoneOff} onClick={call.end}>
          {t('End')}
        </Button>
      </div>
    </>
  )
}

function Timer({ call }: { readonly call: TestCall }) {
  const { clock } = useFormats()
  useNow()
  return <span className="text-muted tabular-nums">{clock(call.elapsedMs() / 1_000)}</span>
}
