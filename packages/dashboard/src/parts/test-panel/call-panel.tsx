import type { CallDevice, CallDevices } from '@parley/sdk'
import { Link } from '@tanstack/react-router'
import { ArrowRightLeft, Keyboard, Mic, MicOff, Phone, PhoneOff, Waypoints, Wrench } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { SelectField } from '../../components/fields.tsx'
import { loadBrowserCall } from '../../lib/browser-call.ts'
import { useNow } from '../../lib/clock.ts'
import { useFormatter } from '../../lib/format.ts'
import { type Translate, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { CallInput, CallLine, CallProblem, CallState, EventLine, Latency } from './call-state.ts'
import {
  canContinueByTyping,
  describeActivity,
  describeEndReason,
  describeProblem,
  describeWarning,
  listLatencyParts,
  listSubstituteNotes,
} from './call-text.ts'
import { LevelMeter } from './level-meter.tsx'
import { Bubble, Collapsible, MessageInput, StartProblem, useAutoScroll } from './panel-parts.tsx'
import { useRestoreFocus } from './use-restore-focus.ts'
import { describeDeviceProblem, type SelectedDevices, type TestCall } from './use-test-call.ts'

export function CallPanel({ call }: { readonly call: TestCall }) {
  const t = useText()
  const [selectedDevices, setSelectedDevices] = useState<SelectedDevices>({ microphone: null, speaker: null })
  const [deviceProblem, setDeviceProblem] = useState('')
  const isLive = call.phase === 'live'

  async function selectDevice(changes: Partial<SelectedDevices>): Promise<void> {
    setDeviceProblem('')
    try {
      if (isLive) await call.selectDevices(changes)
      setSelectedDevices((current) => ({ ...current, ...changes }))
    } catch (error) {
      setDeviceProblem(t(describeDeviceProblem(error)))
    }
  }

  const start = (input: CallInput): void => void call.start(selectedDevices, input)
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {call.phase === 'ended' && <EndedCallView call={call} onStart={() => start('voice')} />}
      {isLive && <LiveCallView call={call} />}
      {call.phase !== 'ended' && !isLive && <StartCallView call={call} onStart={start} />}
      <DeviceSettings
        selected={selectedDevices}
        onSelect={(changes) => void selectDevice(changes)}
        problem={deviceProblem}
      />
    </div>
  )
}

function StartCallView({
  call: { phase, callProblem, problem },
  onStart,
}: {
  readonly call: TestCall
  readonly onStart: (input: CallInput) => void
}) {
  const t = useText()
  const isBusy = phase !== 'idle'
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-muted">
        {t('Call the latest version with your microphone. The call is saved under “Calls”.')}
      </p>
      {callProblem && <CallProblemNote callProblem={callProblem} />}
      {problem && <StartProblem problem={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" icon={Phone} busy={isBusy} onClick={() => onStart('voice')}>
          {callProblem === null ? t('Start call') : t('Try again')}
        </Button>
        {callProblem !== null && canContinueByTyping(callProblem.code) && (
          <Button icon={Keyboard} onClick={() => onStart('typing')}>
            {t('Continue by typing')}
          </Button>
        )}
      </div>
      {phase === 'joining' && (
        <p role="status" className="text-muted">
          {t('Connecting…')}
        </p>
      )}
    </div>
  )
}

function CallProblemNote({ callProblem: { code, message } }: { readonly callProblem: CallProblem }) {
  const t = useText()
  const problemMessages = describeProblem(code)
  return (
    <div role="alert" className="flex w-full flex-col gap-1 rounded-md bg-bad-soft px-3 py-2.5 text-bad" dir="auto">
      <p className="font-medium">{problemMessages === null ? message : t(problemMessages[0])}</p>
      {problemMessages && <p>{t(problemMessages[1])}</p>}
    </div>
  )
}

function EndedCallView({ call, onStart }: { readonly call: TestCall; readonly onStart: () => void }) {
  const t = useText()
  const format = useFormatter()
  const workspaceId = useWorkspaceId()
  const { callId, endReason, durationMs, callProblem } = call
  const container = useRestoreFocus<HTMLDivElement>()
  return (
    <div ref={container} tabIndex={-1} className="flex min-w-0 flex-col gap-3 outline-none">
      <CallCaptions call={call} />
      {callProblem && <CallProblemNote callProblem={callProblem} />}
      <p role="status" className="flex items-center gap-2">
        <PhoneOff aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span>
          {t(describeEndReason(endReason ?? ''))}{' '}
          {t('Duration: {time}', { time: format.timecode((durationMs ?? 0) / 1_000) })}
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" icon={Phone} onClick={onStart}>
          {t('Start over')}
        </Button>
        {callId !== null && (
          <ButtonLink kind="quiet" to="/$workspaceId/calls/$callId" params={{ workspaceId, callId }}>
            {t('Open call')}
          </ButtonLink>
        )}
      </div>
    </div>
  )
}

function LiveCallView({ call }: { readonly call: TestCall }) {
  const t = useText()
  const { agentName, warning, isMuted } = call
  const notes = listSubstituteNotes(call)
  const warningMessages = warning === null ? null : describeWarning(warning.code)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 truncate font-semibold" dir="auto">
          {agentName || t('The agent')}
        </span>
        <span role="status">{t(describeActivity(call))}</span>
        <Timer call={call} />
      </div>
      <RecognitionNote call={call} />
      {notes.length > 0 && (
        <ul className="flex flex-col gap-1 rounded-md bg-warn-soft px-3 py-2 text-warn" dir="auto">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <CallCaptions
        call={call}
        note={
          warning && (
            <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn" dir="auto">
              {warningMessages === null ? warning.message : `${t(warningMessages[0])} ${t(warningMessages[1])}`}
            </p>
          )
        }
      />
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        <LevelMeter label={t('You')} side="user" levels={call.levels} />
        <LevelMeter label={agentName || t('The agent')} side="agent" levels={call.levels} />
      </div>
      <MessageInput label={t('Message')} placeholder={t('Type a message')} onSend={call.sendText} />
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

/** Warns if the server does not recognize speech. */
function RecognitionNote({ call: { input, recognition } }: { readonly call: TestCall }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  if (input === 'typing' || recognition === 'server') return null
  return (
    <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      {recognition === 'browser'
        ? t('Your browser recognizes speech because the server has no speech recognition.')
        : t('Neither the server nor this browser can recognize speech. Type your messages instead.')}{' '}
      <Link to="/$workspaceId/provider-keys" params={{ workspaceId }} className="underline">
        {t('Add API key')}
      </Link>
    </p>
  )
}

function Timer({ call }: { readonly call: TestCall }) {
  const format = useFormatter()
  useNow()
  return <span className="text-muted tabular-nums">{format.timecode(call.elapsedMs() / 1_000)}</span>
}

/** Displays the captions of a call. Reserves space for `note` so that the controls do not move. */
function CallCaptions({ call, note }: { readonly call: CallState; readonly note?: ReactNode }) {
  const t = useText()
  const logProps = useAutoScroll<HTMLDivElement>()
  return (
    <div className="flex h-[min(24rem,50dvh)] flex-col gap-3">
      {note}
      <div
        {...logProps}
        role="log"
        aria-label={t('Captions')}
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll the captions.
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto rounded-md border border-line p-3"
      >
        {call.lines.length === 0 && <p className="m-auto text-center text-muted">{t('No captions yet.')}</p>}
        {call.lines.map((line) => (
          <CaptionView key={line.id} line={line} agentName={call.agentName || t('The agent')} />
        ))}
      </div>
    </div>
  )
}

function CaptionView({ line, agentName }: { readonly line: CallLine; readonly agentName: string }) {
  const t = useText()
  if (line.kind !== 'utterance') return <EventView line={line} />
  const { role, text, isFinal, isInterrupted, latency } = line
  return (
    <Bubble
      side={role === 'agent' ? 'agent' : 'person'}
      speaker={role === 'agent' ? agentName : t('You')}
      isDraft={!isFinal}
      note={latency && <LatencyNote latency={latency} />}
    >
      {isInterrupted ? `${text}…` : text}
    </Bubble>
  )
}

function LatencyNote({ latency }: { readonly latency: Latency }) {
  const t = useText()
  const format = useFormatter()
  const parts = listLatencyParts(latency).map(([name, milliseconds]) => `${t(name)} ${format.duration(milliseconds)}`)
  const total = t('response: {time}', { time: format.duration(Math.max(0, Math.round(latency.totalMs))) })
  if (parts.length === 0) return <span>{total}</span>
  return (
    <details>
      <summary>{total}</summary>
      <span>{parts.join(', ')}</span>
    </details>
  )
}

const EVENT_ICONS = { tool: Wrench, agent: ArrowRightLeft, node: Waypoints } as const

function EventView({ line }: { readonly line: EventLine }) {
  const t = useText()
  const Icon = EVENT_ICONS[line.kind]
  return (
    <p className="flex max-w-full min-w-0 items-center gap-2 self-center text-xs text-muted">
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      <span className="min-w-0 break-words" dir="auto">
        {describeEvent(line, t)}
      </span>
    </p>
  )
}

function describeEvent({ kind, name, isDone }: EventLine, t: Translate): string {
  if (kind === 'agent') return t('Transferred to {name}', { name })
  if (kind === 'node') return t('Node: {name}', { name })
  return isDone ? t('Tool used: {name}', { name }) : t('Using tool: {name}…', { name })
}

const NO_DEVICES: CallDevices = { microphones: [], speakers: [] }

/** Returns the audio devices. Updates the list while it is visible. */
function useDevices(isVisible: boolean): CallDevices {
  const [availableDevices, setDevices] = useState<CallDevices>(NO_DEVICES)
  useEffect(() => {
    if (!isVisible) return
    const controller = new AbortController()
    const readDevices = async (): Promise<void> => {
      const client = await loadBrowserCall()
      const devices = await client.devices()
      if (!controller.signal.aborted) setDevices(devices)
    }
    const refreshDevices = (): void => void readDevices().catch(() => undefined)
    refreshDevices()
    navigator.mediaDevices?.addEventListener('devicechange', refreshDevices, { signal: controller.signal })
    return () => controller.abort()
  }, [isVisible])
  return availableDevices
}

function DeviceSettings({
  selected,
  onSelect,
  problem,
}: {
  readonly selected: SelectedDevices
  readonly onSelect: (selected: Partial<SelectedDevices>) => void
  readonly problem: string
}) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const { microphones, speakers } = useDevices(isOpen)
  const buildChoices = (devices: readonly CallDevice[], formatName: (number: number) => string) => [
    { value: '', label: t('System default') },
    ...devices.map(({ deviceId, label }, index) => ({ value: deviceId, label: label || formatName(index + 1) })),
  ]
  return (
    <Collapsible title={t('Devices')} onToggle={setIsOpen}>
      <SelectField
        label={t('Microphone')}
        value={selected.microphone ?? ''}
        choices={buildChoices(microphones, (number) => t('Microphone {number}', { number }))}
        onChange={(value) => onSelect({ microphone: value === '' ? null : value })}
      />
      {speakers.length > 0 && (
        <SelectField
          label={t('Speaker')}
          value={selected.speaker ?? ''}
          choices={buildChoices(speakers, (number) => t('Speaker {number}', { number }))}
          onChange={(value) => onSelect({ speaker: value === '' ? null : value })}
        />
      )}
      {problem !== '' && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </Collapsible>
  )
}
