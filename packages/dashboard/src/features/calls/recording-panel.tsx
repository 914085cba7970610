import type { Call } from '@parley/contract/call'
import { Download, ExternalLink, Trash2 } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { Button, buildButtonClass } from '../../components/button.tsx'
import { SelectField } from '../../components/fields.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { Panel } from '../../components/page.tsx'
import { buildUrl } from '../../lib/api/request.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import type { CallRecord } from './call-state.ts'

const CHANNELS = ['mixed', 'stereo', 'caller', 'agent'] as const
type Channel = (typeof CHANNELS)[number]

const CHANNEL_LABELS: Readonly<Record<Channel, string>> = {
  mixed: message('Mixed'),
  stereo: message('Stereo: caller left, agent right'),
  caller: message('Caller only'),
  agent: message('Agent only'),
}

/** Reasons for a missing recording. */
const ABSENCE_REASONS = {
  live: message('Available after the call ends.'),
  'not-started': message('The call never started.'),
  'not-stored': message('This call’s recording is not stored.'),
  none: message('The agent does not record calls, or the recording was deleted or has expired.'),
} as const

type RecordingState = 'local' | 'external' | keyof typeof ABSENCE_REASONS

type RecordedCall = Pick<Call, 'callId' | 'status' | 'startedAt' | 'recordingUrl' | 'optOutSensitiveDataStorage'>

export function getRecordingState(call: RecordedCall): RecordingState {
  const { callId, status, recordingUrl } = call
  if (status === 'registered' || status === 'ongoing') return 'live'
  if (recordingUrl !== null) {
    const recordingPath = buildUrl('getCallRecording', { path: { callId } })
    return URL.canParse(recordingUrl) && new URL(recordingUrl).pathname.endsWith(recordingPath) ? 'local' : 'external'
  }
  if (call.startedAt === null) return 'not-started'
  return call.optOutSensitiveDataStorage ? 'not-stored' : 'none'
}

/**
 * Builds a recording URL that the session authorizes. The URL in the call record expires and may point to another host.
 */
export function buildRecordingUrl(callId: string, channel: Channel): string {
  return buildUrl('getCallRecording', { path: { callId }, query: { channel } })
}

/** Returns an http or https link, or null for other schemes. */
export function toSafeLink(link: string | null): string | null {
  return link !== null && URL.canParse(link) && /^https?:$/.test(new URL(link).protocol) ? link : null
}

export interface RecordingPanelProps {
  readonly call: CallRecord
  readonly player: RefObject<HTMLAudioElement | null>
  readonly onTimeUpdate: (atMs: number) => void
}

/** Displays a call's recording, or why there is none. */
export function RecordingPanel({ call, player, onTimeUpdate }: RecordingPanelProps) {
  const t = useText()
  const state = getRecordingState(call)
  const link = toSafeLink(call.recordingUrl)
  return (
    <Panel title={t('Recording')}>
      {state === 'local' && <RecordingPlayer call={call} player={player} onTimeUpdate={onTimeUpdate} />}
      {state === 'external' && (
        <>
          <p className="text-muted">{t('Stored by the telephony vendor.')}</p>
          {link !== null && (
            <a href={link} target="_blank" rel="noreferrer" className={`${buildButtonClass()} w-fit`}>
              <ExternalLink aria-hidden="true" className="size-4" />
              {t('Open recording')}
            </a>
          )}
        </>
      )}
      {state in ABSENCE_REASONS && (
        <p className="text-muted">{t(ABSENCE_REASONS[state as keyof typeof ABSENCE_REASONS])}</p>
      )}
    </Panel>
  )
}

function RecordingPlayer({ call: { callId }, player, onTimeUpdate }: RecordingPanelProps) {
  const t = useText()
  const can = useCan()
  const [channel, setChannel] = useState<Channel>('mixed')
  const [hasFailed, setHasFailed] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const [resumeTimeS, setResumeTimeS] = useState(0)
  const recordingUrl = buildRecordingUrl(callId, channel)
  return (
    <>
      {hasFailed && (
        <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md bg-bad-soft px-3 py-2 text-bad">
          <p className="min-w-0 flex-1">{t('The recording could not be loaded. It may have been deleted.')}</p>
          <Button
            onClick={() => {
              setHasFailed(false)
              player.current?.load()
            }}
          >
            {t('Try again')}
          </Button>
        </div>
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript next to it contains the text. */}
      <audio
        ref={player}
        controls
        preload="metadata"
        src={recordingUrl}
        aria-label={t('Recording of the call')}
        className="w-full"
        onError={() => setHasFailed(true)}
        onLoadedMetadata={({ currentTarget }) => {
          setHasFailed(false)
          if (resumeTimeS > 0) currentTarget.currentTime = resumeTimeS
        }}
        onTimeUpdate={({ currentTarget }) => onTimeUpdate(currentTarget.currentTime * 1_000)}
      />
      <div className="flex flex-wrap items-end gap-2">
        <SelectField
          label={t('Channels')}
          className="min-w-48 flex-1 basis-48 sm:max-w-64"
          value={channel}
          choices={CHANNELS.map((value) => ({ value, label: t(CHANNEL_LABELS[value]) }))}
          onChange={(nextChannel) => {
            setResumeTimeS(player.current?.currentTime ?? 0)
            setChannel(nextChannel)
          }}
        />
        <a href={recordingUrl} download={`${callId}.wav`} className={buildButtonClass()}>
          <Download aria-hidden="true" className="size-4" />
          {t('Download')}
        </a>
        {can('deleteCallRecording') && (
          <Button kind="quiet" icon={Trash2} onClick={() => setIsDeleting(true)}>
            {t('Delete recording')}
          </Button>
        )}
      </div>
      {isDeleting && (
        <ConfirmDialog
          operation="deleteCallRecording"
          params={{ path: { callId } }}
          invalidates={['getCall', 'listCallHistory']}
          title={t('Delete recording?')}
          description={t('The recording is permanently deleted. The call and its transcript are kept.')}
          label={t('Delete recording')}
          successMessage={t('Recording deleted')}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </>
  )
}
