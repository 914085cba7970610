import { Navigate, useParams } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { BackToList } from '../../components/back-link.tsx'
import { Badge } from '../../components/badge.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { RecordScreen } from '../../components/record-screen.tsx'
import { ProblemNote, Skeleton } from '../../components/states.tsx'
import { notify } from '../../components/toasts.tsx'
import { useRead, useResponse, useWrite } from '../../lib/api/hooks.ts'
import type { RequestParams } from '../../lib/api/request.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { listUserMessages } from '../../parts/test-case/from-conversation.ts'
import { ExactTime, LiveClock } from '../../parts/transcript/conversation-cells.tsx'
import { ConversationData } from '../../parts/transcript/conversation-data.tsx'
import { AnalysisPanel, RawJson } from '../../parts/transcript/conversation-panels.tsx'
import type { CustomData } from '../../parts/transcript/custom-data.ts'
import { findLineAtTime } from '../../parts/transcript/transcript-line.ts'
import { TranscriptView } from '../../parts/transcript/transcript-view.tsx'
import { CallActions } from './call-actions.tsx'
import { CallStatusBadge } from './call-labels.tsx'
import { toCallLines } from './call-lines.ts'
import { CallDetails, CostsPanel, LatencyPanel } from './call-panels.tsx'
import { type CallRecord, getPollIntervalMs, isFinished, isLive } from './call-state.ts'
import { ListenPanel } from './listen-panel.tsx'
import { useLiveEvents } from './live-events.ts'
import { RecordingPanel } from './recording-panel.tsx'
import { useCallListener } from './use-call-listener.ts'

export function CallScreen() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { callId } = useParams({ from: '/signed-in/$workspaceId/calls/$callId' })
  const path = { callId }
  const cachedCall = useResponse('getCall', { path })
  const callQuery = useResponse(
    'getCall',
    { path },
    { refetchMs: getPollIntervalMs(cachedCall.data?.value.call, cachedCall.dataUpdatedAt) },
  )
  return (
    <RecordScreen title={t('Call')} backLink={<BackToCalls />} query={callQuery}>
      {({ value: { call } }) =>
        call.workspaceId === workspaceId ? (
          <CallPage key={callId} call={call} />
        ) : (
          <Navigate to="/$workspaceId/calls/$callId" params={{ workspaceId: call.workspaceId, callId }} replace />
        )
      }
    </RecordScreen>
  )
}

function CallPage({ call }: { readonly call: CallRecord }) {
  const t = useText()
  const { callId } = call
  const { events: liveEvents, isInterrupted } = useLiveEvents(callId, isLive(call))
  const listener = useCallListener(callId)
  const transcript = useRead('getCallTranscript', { path: { callId } }, { enabled: !isLive(call) })
  const events = isLive(call) ? liveEvents : (transcript.data?.entries ?? liveEvents)
  const lines = useMemo(() => toCallLines(events, call.agentName, t), [events, call.agentName, t])
  const player = useRef<HTMLAudioElement>(null)
  // Times on this page are relative to the start of the call, as in the recording.
  const [currentMs, setCurrentMs] = useState(0)
  const [seekTarget, setSeekTarget] = useState<{ readonly atMs: number } | null>(null)
  const hasPlayer = isFinished(call) && call.recordingUrl !== null
  function seek(atMs: number): void {
    setCurrentMs(atMs)
    if (player.current === null) return
    player.current.currentTime = atMs / 1_000
    void player.current.play().catch(() => undefined)
  }
  function jumpTo(atMs: number): void {
    setSeekTarget({ atMs })
    seek(atMs)
  }
  return (
    <Page
      title={t('Call with {name}', { name: call.agentName || t('unnamed agent') })}
      backLink={<BackToCalls />}
      titleExtra={<CallSummaryLine call={call} />}
      actions={<CallActions call={call} userMessages={listUserMessages(lines)} listener={listener} />}
    >
      <ListenPanel listener={listener} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <RecordingPanel call={call} player={player} onTimeUpdate={setCurrentMs} />
          <Panel title={t('Transcript')}>
            {isInterrupted && (
              <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
                {t('Live view interrupted. Reconnecting…')}
              </p>
            )}
            {transcript.error && <ProblemNote problem={transcript.error} />}
            {transcript.isPending && !isLive(call) && lines.length === 0 ? (
              <Skeleton lines={4} />
            ) : (
              <TranscriptView
                label={t('Transcript')}
                lines={lines}
                activeId={currentMs === 0 ? null : (findLineAtTime(lines, currentMs)?.id ?? null)}
                onSeek={hasPlayer ? seek : undefined}
                scrollTarget={seekTarget}
                emptyState={<NoTranscript call={call} />}
              />
            )}
          </Panel>
          <CallAnalysis call={call} />
          <CallData call={call} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <CallDetails call={call} />
          <CostsPanel call={call} />
          <LatencyPanel latency={call.latency} events={events} onSeek={jumpTo} />
        </div>
      </div>
      <RawJson value={call} />
    </Page>
  )
}

function CallSummaryLine({ call }: { readonly call: CallRecord }) {
  const t = useText()
  const format = useFormatter()
  const { status, startedAt, createdAt, durationMs, archivedAt } = call
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <CallStatusBadge status={status} />
      {archivedAt !== null && <Badge>{t('Archived')}</Badge>}
      <ExactTime at={startedAt ?? createdAt} />
      {isLive(call) && startedAt !== null && <LiveClock startedAt={startedAt} />}
      {durationMs !== null && <span className="tabular-nums">{format.timecode(durationMs / 1_000)}</span>}
    </span>
  )
}

function BackToCalls() {
  const t = useText()
  return <BackToList to="/$workspaceId/calls">{t('All calls')}</BackToList>
}

function NoTranscript({ call }: { readonly call: CallRecord }) {
  const t = useText()
  const text = !isFinished(call)
    ? t('No messages yet.')
    : call.optOutSensitiveDataStorage
      ? t('This call’s transcript is not stored.')
      : t('Nobody spoke, or the transcript expired.')
  return <p className="text-muted">{text}</p>
}

function CallAnalysis({ call }: { readonly call: CallRecord }) {
  const t = useText()
  const can = useCan()
  const analyze = useWrite('analyseCall', { invalidates: ['getCall', 'listCallHistory'] })
  const disabledReason = !isFinished(call)
    ? t('The analysis runs after the call ends.')
    : call.startedAt === null
      ? t('The call never started, so there is nothing to analyze.')
      : null
  const { callId, summary, sentiment, successful, customAnalysisData: customData } = call
  const runAnalysis = (): void => analyze.mutate({ path: { callId } }, { onSuccess: () => notify(t('Call analyzed')) })
  return (
    <AnalysisPanel
      analysis={{ summary, sentiment, successful, customData }}
      blockedReason={disabledReason}
      isRunning={analyze.isPending}
      problem={analyze.error}
      onRun={can('analyseCall') ? runAnalysis : undefined}
    />
  )
}

type DataField = keyof Pick<
  RequestParams<'updateCall'>['body'],
  'metadata' | 'customAttributes' | 'overrideDynamicVariables'
>

function CallData({ call }: { readonly call: CallRecord }) {
  const t = useText()
  const can = useCan()
  const updateCall = useWrite('updateCall', { invalidates: ['getCall'] })
  async function save(name: DataField, value: CustomData): Promise<void> {
    await updateCall.mutateAsync({ path: { callId: call.callId }, body: { [name]: value } })
    notify(t('Call updated'))
  }
  return (
    <ConversationData
      variables={{ ...call.service_dynamic_variables, ...call.collectedDynamicVariables }}
      variablesHelp={t('Set at the start, or collected during the call.')}
      overrides={['overrideDynamicVariables', call.overrideDynamicVariables]}
      overridesHelp={t('Override all other values, starting with the next turn.')}
      metadata={['metadata', call.metadata]}
      attributes={['customAttributes', call.customAttributes]}
      onSave={can('updateCall') ? save : undefined}
    />
  )
}
