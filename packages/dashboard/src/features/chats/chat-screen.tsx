import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { BackLink } from '../../components/back-link.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { ProblemPanel, Skeleton } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import type { Parts, ValueOf } from '../../lib/api/request.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { saidByUser } from '../../parts/test-case/from-conversation.ts'
import { AnalysisPanel } from '../../parts/transcript/analysis-panel.tsx'
import { ConversationData } from '../../parts/transcript/conversation-data.tsx'
import type { FreeObject } from '../../parts/transcript/free-object.ts'
import { RawJson } from '../../parts/transcript/raw-json.tsx'
import { TranscriptView } from '../../parts/transcript/transcript-view.tsx'
import { ChatActions } from './chat-actions.tsx'
import { ChatStatusBadge } from './chat-badges.tsx'
import { ChatFacts } from './chat-facts.tsx'
import { chatLines } from './chat-lines.ts'
import { TurnsPanel } from './turns-panel.tsx'

const ONGOING_EVERY_MS = 3_000

/** One chat: what was written, what came of it, and why. */
export function ChatScreen() {
  const t = useText()
  const { chatId } = useParams({ from: '/signed-in/$workspaceId/chats/$chatId' })
  const path = { chatId }
  const isOngoing = useRead('getChat', { path }).data?.status === 'ongoing'
  const chat = useRead('getChat', { path }, { everyMs: isOngoing && ONGOING_EVERY_MS })
  if (chat.data !== undefined) return <ShownChat key={chatId} chat={chat.data} />
  return (
    <Page title={t('Chat')} above={<BackToChats />}>
      {chat.error === null ? (
        <Skeleton lines={8} />
      ) : (
        <ProblemPanel problem={chat.error} onRetry={() => void chat.refetch()} />
      )}
    </Page>
  )
}

function ShownChat({ chat }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const formats = useFormats()
  const agents = useChoices('agents')
  const { nameOf } = agents
  // biome-ignore lint/correctness/useExhaustiveDependencies: names come with the choices.
  const lines = useMemo(() => chatLines(chat, nameOf, t), [chat, agents.choices, t])
  return (
    <Page
      title={t('Chat with {name}', { name: chat.agentName || t('an agent') })}
      above={<BackToChats />}
      beside={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <ChatStatusBadge status={chat.status} />
          <time dateTime={chat.startedAt}>{formats.dateTime(chat.startedAt)}</time>
        </span>
      }
      actions={<ChatActions chat={chat} said={saidByUser(lines)} />}
    >
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title={t('Transcript')}>
            <TranscriptView
              label={t('What was written')}
              lines={lines}
              empty={
                <p className="text-muted">
                  {chat.status === 'ongoing'
                    ? t('Nothing was written yet.')
                    : t('Nothing was written, or it is not kept any more.')}
                </p>
              }
            />
          </Panel>
          <ChatFindings chat={chat} />
          <TurnsPanel chatId={chat.chatId} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <ChatFacts chat={chat} />
          <ChatData chat={chat} />
        </div>
      </div>
      <RawJson value={chat} />
    </Page>
  )
}

function ChatFindings({ chat }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const may = useMay()
  const analyse = useWrite('analyseChat', { refreshes: ['getChat', 'listChats'] })
  return (
    <AnalysisPanel
      analysis={chat.chatAnalysis}
      reasonAgainst={chat.status === 'ongoing' ? t('The analysis is made once the chat is over.') : null}
      isRunning={analyse.isPending}
      problem={analyse.error}
      onRun={
        may('analyseChat')
          ? () =>
              analyse.mutate(
                { path: { chatId: chat.chatId }, body: {} },
                { onSuccess: () => tell(t('The chat is analysed.')) },
              )
          : undefined
      }
    />
  )
}

function BackToChats() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/chats" params={{ workspaceId: useWorkspaceId() }}>
      {t('All chats')}
    </BackLink>
  )
}

type OwnField = keyof Pick<Parts<'updateChat'>['body'], 'metadata' | 'custom_attributes' | 'override_dynamic_variables'>

/** Variables and data of one's own that a chat carries. */
function ChatData({ chat }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const may = useMay()
  const update = useWrite('updateChat', { refreshes: ['getChat', 'listChats'] })
  async function save(name: OwnField, value: FreeObject): Promise<void> {
    await update.mutateAsync({ path: { chatId: chat.chatId }, body: { [name]: value } })
    tell(t('The chat is changed.'))
  }
  return (
    <ConversationData
      variables={{ ...chat.service_dynamic_variables, ...chat.collectedDynamicVariables }}
      variablesHelp={t('Given at the beginning, and collected during the chat.')}
      overrides={['override_dynamic_variables', chat.overrideDynamicVariables]}
      overridesHelp={t('They win over all others, from the next turn on.')}
      metadata={['metadata', chat.metadata]}
      attributes={['custom_attributes', chat.customAttributes]}
      onSave={may('updateChat') ? save : undefined}
    />
  )
}
