import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ClipboardCheck, MessageSquareOff, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { BackToList } from '../../components/back-link.tsx'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { DescriptionList, Page, Panel } from '../../components/page.tsx'
import { RecordScreen } from '../../components/record-screen.tsx'
import { notify } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import type { RequestParams, ValueOf } from '../../lib/api/request.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { NO_ENGINE } from '../../parts/test-case/engine.ts'
import { listUserMessages } from '../../parts/test-case/from-conversation.ts'
import { SaveTestCaseDialog } from '../../parts/test-case/save-test-case-dialog.tsx'
import { ExactTime, VariantBadge } from '../../parts/transcript/conversation-cells.tsx'
import { ConversationData } from '../../parts/transcript/conversation-data.tsx'
import { AnalysisPanel, RawJson } from '../../parts/transcript/conversation-panels.tsx'
import { getProductLabel } from '../../parts/transcript/cost-labels.ts'
import type { CustomData } from '../../parts/transcript/custom-data.ts'
import { TranscriptView } from '../../parts/transcript/transcript-view.tsx'
import { STATUS_VARIANTS, TYPE_LABELS } from './chat-labels.ts'
import { toChatLines } from './chat-lines.ts'
import { TurnsPanel } from './turns-panel.tsx'

const POLL_INTERVAL_MS = 3_000

interface ChatProps {
  readonly chat: ValueOf<'getChat'>
}

export function ChatScreen() {
  const t = useText()
  const { chatId } = useParams({ from: '/signed-in/$workspaceId/chats/$chatId' })
  const path = { chatId }
  const isOngoing = useRead('getChat', { path }).data?.status === 'ongoing'
  const chat = useRead('getChat', { path }, { refetchMs: isOngoing && POLL_INTERVAL_MS })
  return (
    <RecordScreen title={t('Chat')} backLink={<BackToChats />} query={chat}>
      {(value) => <ChatPage key={chatId} chat={value} />}
    </RecordScreen>
  )
}

function ChatPage({ chat }: ChatProps) {
  const t = useText()
  const agents = useChoices('agents')
  const { getName } = agents
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names change with the choices.
  const lines = useMemo(() => toChatLines(chat, getName, t), [chat, agents.choices, t])
  return (
    <Page
      title={t('Chat with {name}', { name: chat.agentName || t('unnamed agent') })}
      backLink={<BackToChats />}
      titleExtra={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <VariantBadge variant={STATUS_VARIANTS[chat.status]} />
          <ExactTime at={chat.startedAt} />
        </span>
      }
      actions={<ChatActions chat={chat} userMessages={listUserMessages(lines)} />}
    >
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title={t('Transcript')}>
            <TranscriptView
              label={t('Transcript')}
              lines={lines}
              emptyState={
                <p className="text-muted">
                  {chat.status === 'ongoing' ? t('No messages yet.') : t('Nobody wrote, or the transcript expired.')}
                </p>
              }
            />
          </Panel>
          <ChatAnalysis chat={chat} />
          <TurnsPanel chatId={chat.chatId} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <ChatDetails chat={chat} />
          <CostPanel chat={chat} />
          <ChatData chat={chat} />
        </div>
      </div>
      <RawJson value={chat} />
    </Page>
  )
}

function BackToChats() {
  const t = useText()
  return <BackToList to="/$workspaceId/chats">{t('All chats')}</BackToList>
}

/** Renders the actions of a chat. `userMessages` contains the customer's messages in order. */
function ChatActions({ chat, userMessages }: ChatProps & { readonly userMessages: readonly string[] }) {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [openDialog, setOpenDialog] = useState<'end' | 'save' | 'delete' | null>(null)
  const closeDialog = (): void => setOpenDialog(null)
  const {
    chatId,
    status,
    responseEngine,
    service_dynamic_variables: initialVariables,
    overrideDynamicVariables: overrideVariables,
  } = chat
  const { type, id } = responseEngine
  return (
    <>
      {status === 'ongoing' && can('endChat') && (
        <Button icon={MessageSquareOff} onClick={() => setOpenDialog('end')}>
          {t('End chat')}
        </Button>
      )}
      {can('createTestCase') && userMessages.length > 0 && (
        <Button icon={ClipboardCheck} onClick={() => setOpenDialog('save')}>
          {t('Save as test case…')}
        </Button>
      )}
      {can('deleteChat') && (
        <Button icon={Trash2} onClick={() => setOpenDialog('delete')}>
          {t('Delete…')}
        </Button>
      )}
      {openDialog === 'end' && (
        <ConfirmDialog
          operation="endChat"
          params={{ path: { chatId }, body: {} }}
          invalidates={['getChat', 'listChats']}
          title={t('End chat?')}
          description={t('No one can send messages anymore. The transcript is kept.')}
          label={t('End chat')}
          successMessage={t('Chat ended')}
          onClose={closeDialog}
        />
      )}
      {openDialog === 'save' && (
        <SaveTestCaseDialog
          userMessages={userMessages}
          variables={{ ...initialVariables, ...overrideVariables }}
          // A custom LLM cannot be tested, so the user selects another engine.
          engine={type === 'custom-llm' ? NO_ENGINE : { kind: type, id }}
          description={t('Created from chat {id}.', { id: chatId })}
          onClose={closeDialog}
        />
      )}
      {openDialog === 'delete' && (
        <ConfirmDialog
          operation="deleteChat"
          params={{ path: { chatId } }}
          invalidates={['listChats']}
          title={t('Delete chat?')}
          description={t('Messages and all other data of this chat are permanently deleted.')}
          name={chatId}
          label={t('Delete chat')}
          successMessage={t('Chat deleted')}
          onClose={closeDialog}
          onSuccess={() => void navigate({ to: '/$workspaceId/chats', params: { workspaceId }, replace: true })}
        />
      )}
    </>
  )
}

function ChatDetails({ chat }: ChatProps) {
  const t = useText()
  return (
    <Panel title={t('Details')}>
      <DescriptionList
        items={[
          [t('Agent'), <AgentLink key="agent" chat={chat} />],
          ...chat.agentPath
            .slice(1)
            .map(
              (pathEntry, index) =>
                [
                  t('Agent {number}', { number: index + 2 }),
                  `${pathEntry.agentId}, v${pathEntry.agentVersion}`,
                ] as const,
            ),
          [t('Type'), t(TYPE_LABELS[chat.type])],
          [t('Started'), <ExactTime key="started" at={chat.startedAt} />],
          [t('Ended'), <ExactTime key="ended" at={chat.endedAt} />],
          [t('Chat ID'), <CopyText key="id" text={chat.chatId} />],
          [t('Agent ID'), <CopyText key="agent-id" text={chat.agentId} />],
        ]}
      />
    </Panel>
  )
}

/** Links to the agent. Agents and chat agents have different pages. */
function AgentLink({ chat }: ChatProps) {
  const t = useText()
  const chatAgents = useChoices('chatAgents')
  const { workspaceId, agentId, agentName, version } = chat
  const isChatAgent = chatAgents.choices.some(({ id }) => id === agentId)
  return (
    <Link
      to={isChatAgent ? '/$workspaceId/chat-agents/$agentId' : '/$workspaceId/agents/$agentId'}
      params={{ workspaceId, agentId }}
      className="underline"
    >
      {`${agentName || t('Unnamed')}, v${version}`}
    </Link>
  )
}

function CostPanel({ chat: { chatCost } }: ChatProps) {
  const t = useText()
  const format = useFormatter()
  const formatDollars = (amount: number | null): string => (amount === null ? t('Unknown') : format.dollars(amount))
  return (
    <Panel title={t('Cost')} description={t('US dollars. Unpriced items are excluded.')}>
      <ul className="flex flex-col divide-y divide-line">
        {chatCost.items.map((item) => (
          <li key={`${item.product} ${item.model}`} className="flex items-baseline gap-3 py-1.5">
            <span dir="auto" className="min-w-0 flex-1">
              {item.model ?? t(getProductLabel(item.product))}
              <span className="block text-xs text-muted">
                {t('{input, number} input tokens, {output, number} output tokens', {
                  input: item.inputTokens,
                  output: item.outputTokens,
                })}
              </span>
            </span>
            <span className="tabular-nums">{formatDollars(item.cost)}</span>
          </li>
        ))}
      </ul>
      <p className="flex justify-between gap-3 font-medium">
        <span>{t('Total charged')}</span>
        <span className="tabular-nums">{formatDollars(chatCost.total)}</span>
      </p>
    </Panel>
  )
}

function ChatAnalysis({ chat }: ChatProps) {
  const t = useText()
  const can = useCan()
  const analyze = useWrite('analyseChat', { invalidates: ['getChat', 'listChats'] })
  const params = { path: { chatId: chat.chatId }, body: {} }
  const runAnalysis = (): void => analyze.mutate(params, { onSuccess: () => notify(t('Chat analyzed')) })
  return (
    <AnalysisPanel
      analysis={chat.chatAnalysis}
      blockedReason={chat.status === 'ongoing' ? t('The analysis runs after the chat ends.') : null}
      isRunning={analyze.isPending}
      problem={analyze.error}
      onRun={can('analyseChat') ? runAnalysis : undefined}
    />
  )
}

type DataField = keyof Pick<
  RequestParams<'updateChat'>['body'],
  'metadata' | 'custom_attributes' | 'override_dynamic_variables'
>

function ChatData({ chat }: ChatProps) {
  const t = useText()
  const can = useCan()
  const update = useWrite('updateChat', { invalidates: ['getChat', 'listChats'] })
  async function save(name: DataField, value: CustomData): Promise<void> {
    await update.mutateAsync({ path: { chatId: chat.chatId }, body: { [name]: value } })
    notify(t('Chat updated'))
  }
  return (
    <ConversationData
      variables={{ ...chat.service_dynamic_variables, ...chat.collectedDynamicVariables }}
      variablesHelp={t('Set at the start, or collected during the chat.')}
      overrides={['override_dynamic_variables', chat.overrideDynamicVariables]}
      overridesHelp={t('Override all other values, starting with the next turn.')}
      metadata={['metadata', chat.metadata]}
      attributes={['custom_attributes', chat.customAttributes]}
      onSave={can('updateChat') ? save : undefined}
    />
  )
}
