import { Navigate, useParams } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { BackLink } from '../../components/back-link.tsx'
import { Badge } from '../../components/badge.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { ProblemNote, ProblemPanel, Skeleton } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useAnswer, useRead, useWrite } from '../../lib/api/hooks.ts'
import type { Parts } from '../../lib/api/request.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { saidByUser } from '../../parts/test-case/from-conversation.ts'
import { AnalysisPanel } from '../../parts/transcript/analysis-panel.tsx'
import { ConversationData } from '../../parts/transcript/conversation-data.tsx'
import type { FreeObject } from '../../parts/transcript/free-object.ts'
import { LiveClock } from '../../parts/transcript/live-clock.tsx'
import { RawJson } from '../../parts/transcript/raw-json.tsx'
import { lineAt } from '../../parts/transcript/transcript-line.ts'
import { TranscriptView } from '../../parts/transcript/transcript-view.tsx'
import { CallActions } from './call-actions.tsx'
import { CallStatusBadge } from './call-badges.tsx'
import { CallFacts } from './call-facts.tsx'
import { callLines } from './call-lines.ts'
import { isLive, isOver, readAgainMs, type ShownCall } from './call-state.ts'
import { CostsPanel } from './costs-panel.tsx'
import { LatencyPanel } from './latency-panel.tsx'
import { ListenPanel } from './listen-panel.tsx'
import { useLiveEvents } from './live-events.ts'
import { RecordingPanel } from './recording-panel.tsx'
import { useListening } from './use-listening.ts'

/** One call: what was said and heard, what came of it, and what it cost. */
export function CallScreen() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { callId } = useParams({ from: '/signed-in/$workspaceId/calls/$callId' })
  const path = { callId }
  const known = useAnswer('getCall', { path })
  const read = useAnswer('getCall', { path }, { everyMs: readAgainMs(known.data?.value.call, known.dataUpdatedAt) })
  const call = read.data?.value.call
  if (call === undefined) {
    return (
      <Page title={t('Call')} above={<BackToCalls />}>
        {read.error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ProblemPanel problem={read.error} onRetry={() => void read.refetch()} />
        )}
      </Page>
    )
  }
  if (call.workspaceId !== workspaceId) {
    return <Navigate to="/$workspaceId/calls/$callId" params={{ workspaceId: call.workspaceId, callId }} replace />
  }
  return <ShownCallPage key={callId} call={call} />
}

function ShownCallPage({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const { callId } = call
  const { events: live, isInterrupted } = useLiveEvents(callId, isLive(call))
  const listening = useListening(callId)
  const transcript = useRead('getCallTranscript', { path: { callId } }, { enabled: !isLive(call) })
  const events = isLive(call) ? live : (transcript.data?.entries ?? live)
  const lines = useMemo(() => callLines(events, call.agentName, t), [events, call.agentName, t])
  const player = useRef<HTMLAudioElement>(null)
  const [heardMs, setHeardMs] = useState(0)
  const hasPlayer = isOver(call) && call.recordingUrl !== null
  function seek(atMs: number): void {
    if (player.current === null) return
    player.current.currentTime = atMs / 1_000
    void player.current.play().catch(() => undefined)
  }
  return (
    <Page
      title={t('Call with {name}', { name: call.agentName || t('an agent') })}
      above={<BackToCalls />}
      beside={<CallHead call={call} />}
      actions={<CallActions call={call} said={saidByUser(lines)} listening={listening} />}
    >
      <ListenPanel listening={listening} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <RecordingPanel call={call} player={player} onTime={setHeardMs} />
          <Panel title={t('Transcript')}>
            {isInterrupted && (
              <p role="status" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
                {t('Live view interrupted; trying again …')}
              </p>
            )}
            {transcript.error && <ProblemNote problem={transcript.error} />}
            {transcript.isPending && !isLive(call) && lines.length === 0 ? (
              <Skeleton lines={4} />
            ) : (
              <TranscriptView
                label={t('What was said')}
                lines={lines}
                activeId={heardMs === 0 ? null : (lineAt(lines, heardMs)?.id ?? null)}
                onSeek={hasPlayer ? seek : undefined}
                empty={<NoTranscript call={call} />}
              />
            )}
          </Panel>
          <CallAnalysis call={call} />
          <CallData call={call} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <CallFacts call={call} />
          <CostsPanel call={call} />
          <LatencyPanel latency={call.latency} events={events} />
        </div>
      </div>
      <RawJson value={call} />
    </Page>
  )
}

function CallHead({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const formats = useFormats()
  const { status, startedAt, createdAt, durationMs, archivedAt } = call
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <CallStatusBadge status={status} />
      {archivedAt !== null && <Badge>{t('Archived')}</Badge>}
      <time dateTime={startedAt ?? createdAt}>{formats.dateTime(startedAt ?? createdAt)}</time>
      {isLive(call) && startedAt !== null && <LiveClock since={startedAt} />}
      {durationMs !== null && <span className="tabular-nums">{formats.clock(durationMs / 1_000)}</span>}
    </span>
  )
}

function BackToCalls() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/calls" params={{ workspaceId: useWorkspaceId() }}>
      {t('All calls')}
    </BackLink>
  )
}

function NoTranscript({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const text = !isOver(call)
    ? t('Nothing was said yet.')
    : call.optOutSensitiveDataStorage
      ? t('What was said in this call is not kept.')
      : t('Nothing was said, or it is not kept any more.')
  return <p className="text-muted">{text}</p>
}

function CallAnalysis({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const may = useMay()
  const analyse = useWrite('analyseCall', { refreshes: ['getCall', 'listCallHistory'] })
  const reasonAgainst = !isOver(call)
    ? t('The analysis is made once the call is over.')
    : call.startedAt === null
      ? t('The call never began, so there is nothing to analyse.')
      : null
  const { summary, sentiment, successful, customAnalysisData: customData } = call
  return (
    <AnalysisPanel
      analysis={{ summary, sentiment, successful, customData }}
      reasonAgainst={reasonAgainst}
      isRunning={analyse.isPending}
      problem={analyse.error}
      onRun={
        may('analyseCall')
          ? () =>
              analyse.mutate({ path: { callId: call.callId } }, { onSuccess: () => tell(t('The call is analysed.')) })
          : undefined
      }
    />
  )
}

type OwnField = keyof Pick<Parts<'updateCall'>['body'], 'metadata' | 'customAttributes' | 'overrideDynamicVariables'>

/** Variables and data of one's own that a call carries. */
function CallData({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const may = useMay()
  const update = useWrite('updateCall', { refreshes: ['getCall'] })
  async function save(name: OwnField, value: FreeObject): Promise<void> {
    await update.mutateAsync({ path: { callId: call.callId }, body: { [name]: value } })
    tell(t('The call is changed.'))
  }
  return (
    <ConversationData
      variables={{ ...call.service_dynamic_variables, ...call.collectedDynamicVariables }}
      variablesHelp={t('Given at the beginning, and collected during the call.')}
      overrides={['overrideDynamicVariables', call.overrideDynamicVariables]}
      overridesHelp={t('They win over all others, in a live call from its next turn on.')}
      metadata={['metadata', call.metadata]}
      attributes={['customAttributes', call.customAttributes]}
      onSave={may('updateCall') ? save : undefined}
    />
  )
}
