import { Download, ExternalLink, Trash2 } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { SelectField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { message, useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import type { ShownCall } from './call-state.ts'
import { DeleteRecordingDialog } from './delete-call-dialog.tsx'
import { CHANNELS, type RecordingChannel, recordingAddress, recordingStateOf, safeLink } from './recording-source.ts'

const CHANNEL_WORDS: Readonly<Record<RecordingChannel, string>> = {
  mixed: message('Both together'),
  stereo: message('Caller left, agent right'),
  caller: message('Caller only'),
  agent: message('Agent only'),
}

const ABSENCES = {
  live: message('The recording can be heard once the call is over.'),
  'never-began': message('The call never began, so nothing was recorded.'),
  'not-stored': message('Nothing that was said in this call is kept, and no recording either.'),
  none: message('There is no recording: its agent does not record, or it was deleted, or its time to be kept is over.'),
} as const

export interface RecordingPanelProps {
  readonly call: ShownCall
  readonly player: RefObject<HTMLAudioElement | null>
  readonly onTime: (atMs: number) => void
}

/** The sound of a call, or why there is none. */
export function RecordingPanel({ call, player, onTime }: RecordingPanelProps) {
  const t = useText()
  const state = recordingStateOf(call)
  const link = safeLink(call.recordingUrl)
  return (
    <Panel title={t('Recording')}>
      {state === 'here' && <RecordingPlayer call={call} player={player} onTime={onTime} />}
      {state === 'elsewhere' && (
        <>
          <p className="text-muted">{t('The recording is kept by the telephony provider.')}</p>
          {link !== null && (
            <a href={link} target="_blank" rel="noreferrer" className={`${buttonClass()} w-fit`}>
              <ExternalLink aria-hidden="true" className="size-4" />
              {t('Open the recording')}
            </a>
          )}
        </>
      )}
      {state in ABSENCES && <p className="text-muted">{t(ABSENCES[state as keyof typeof ABSENCES])}</p>}
    </Panel>
  )
}

function RecordingPlayer({ call: { callId }, player, onTime }: RecordingPanelProps) {
  const t = useText()
  const may = useMay()
  const [channel, setChannel] = useState<RecordingChannel>('mixed')
  const [isBroken, setIsBroken] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const [resumeAtS, setResumeAtS] = useState(0)
  const address = recordingAddress(callId, channel)
  return (
    <>
      {isBroken && (
        <BrokenRecording
          onRetry={() => {
            setIsBroken(false)
            player.current?.load()
          }}
        />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript beside it says every word. */}
      <audio
        ref={player}
        controls
        preload="metadata"
        src={address}
        aria-label={t('Recording of the call')}
        className="w-full"
        onError={() => setIsBroken(true)}
        onLoadedMetadata={({ currentTarget }) => {
          setIsBroken(false)
          if (resumeAtS > 0) currentTarget.currentTime = resumeAtS
        }}
        onTimeUpdate={({ currentTarget }) => onTime(currentTarget.currentTime * 1_000)}
      />
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label={t('Heard')}
          className="min-w-48 flex-1 basis-48 sm:max-w-64"
          value={channel}
          choices={CHANNELS.map((value) => ({ value, label: t(CHANNEL_WORDS[value]) }))}
          onChange={(next) => {
            setResumeAtS(player.current?.currentTime ?? 0)
            setChannel(next)
          }}
        />
        <a href={recordingAddress(callId, channel)} download={`${callId}.wav`} className={buttonClass()}>
          <Download aria-hidden="true" className="size-4" />
          {t('Download')}
        </a>
        {may('deleteCallRecording') && (
          <Button kind="quiet" icon={Trash2} onClick={() => setIsDeleting(true)}>
            {t('Delete recording')}
          </Button>
        )}
      </div>
      {isDeleting && <DeleteRecordingDialog callId={callId} onClose={() => setIsDeleting(false)} />}
    </>
  )
}

function BrokenRecording({ onRetry }: { readonly onRetry: () => void }) {
  const t = useText()
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-bad-soft px-3 py-2 text-bad">
      <p className="min-w-0 flex-1">{t('The recording cannot be loaded. It may be deleted meanwhile.')}</p>
      <Button onClick={onRetry}>{t('Try again')}</Button>
    </div>
  )
}
