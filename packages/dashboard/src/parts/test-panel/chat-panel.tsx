import type { Passage } from '@parley/contract/knowledge-passage'
import { ChevronRight, MessageSquare, RotateCcw, RotateCw, Square, Wrench } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button, ButtonLink, IconButton } from '../../components/button.tsx'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { listTurnPassages } from '../transcript/cited-passages.ts'
import { PassageNote } from '../transcript/passage-note.tsx'
import { getRunningTurn, hasEnded, type ToolPart, type TurnState } from './chat-state.ts'
import { Bubble, MessageInput, StartProblem, useAutoScroll } from './panel-parts.tsx'
import type { TestChat } from './use-test-chat.ts'

export function ChatPanel({ chat }: { readonly chat: TestChat }) {
  const t = useText()
  if (chat.phase === 'idle' || chat.phase === 'starting') {
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="text-muted">{t('Chat with the latest version. The chat is saved under “Chats”.')}</p>
        {chat.problem && <StartProblem problem={chat.problem} />}
        <Button kind="primary" icon={MessageSquare} busy={chat.phase === 'starting'} onClick={() => void chat.start()}>
          {t('Start chat')}
        </Button>
      </div>
    )
  }
  return <ConversationView chat={chat} />
}

function ConversationView({ chat }: { readonly chat: TestChat }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const runningTurn = getRunningTurn(chat)
  const isOpen = chat.phase === 'open'
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ChatLog chat={chat} isAnswering={runningTurn !== null} />
      {chat.isReconnecting && (
        <p role="status" className="text-warn">
          {t('Connection lost. Reconnecting…')}
        </p>
      )}
      {chat.problem && <StartProblem problem={chat.problem} />}
      <MessageInput label={t('Message')} isWaiting={runningTurn !== null} isEnded={!isOpen} onSend={chat.send}>
        {runningTurn !== null && (
          <IconButton
            icon={Square}
            kind="plain"
            label={t('Stop reply')}
            disabled={runningTurn.turnId === null}
            onClick={() => void chat.stop()}
          />
        )}
      </MessageInput>
      <div className="flex flex-wrap items-center gap-2">
        {isOpen ? (
          <>
            <Button onClick={() => void chat.end()}>{t('End')}</Button>
            <Button kind="quiet" icon={RotateCcw} onClick={() => void chat.start()}>
              {t('Start over')}
            </Button>
          </>
        ) : (
          <>
            <p role="status" className="w-full text-muted">
              {chat.isEndedByAgent ? t('The agent ended the conversation.') : t('You ended the conversation.')}
            </p>
            <Button kind="primary" icon={MessageSquare} onClick={() => void chat.start()}>
              {t('Start over')}
            </Button>
          </>
        )}
        {chat.chatId !== null && (
          <ButtonLink kind="quiet" to="/$workspaceId/chats/$chatId" params={{ workspaceId, chatId: chat.chatId }}>
            {t('Open chat')}
          </ButtonLink>
        )}
      </div>
    </div>
  )
}

function ChatLog({ chat, isAnswering }: { readonly chat: TestChat; readonly isAnswering: boolean }) {
  const t = useText()
  const logProps = useAutoScroll<HTMLDivElement>()
  const agentName = chat.agentName === '' ? t('The agent') : chat.agentName
  const lastTurnIndex = chat.turns.length - 1
  return (
    <div
      {...logProps}
      role="log"
      aria-label={t('Chat')}
      aria-live="polite"
      aria-busy={isAnswering}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll.
      tabIndex={0}
      className="flex h-[min(28rem,50dvh)] flex-col gap-3 overflow-y-auto rounded-md border border-line p-3"
    >
      {chat.openingMessages.length === 0 && chat.turns.length === 0 && (
        <p className="m-auto text-center text-muted">{t('The agent is waiting for your first message.')}</p>
      )}
      {chat.openingMessages.map(({ id, text }) => (
        <Bubble key={id} side="agent" speaker={agentName}>
          {text}
        </Bubble>
      ))}
      {chat.turns.map((turn, index) => (
        <ChatTurn
          key={turn.key}
          turn={turn}
          agentName={agentName}
          passages={listTurnPassages(chat.passages, turn.turnId)}
          onSendAgain={index === lastTurnIndex && chat.phase === 'open' ? chat.sendAgain : undefined}
        />
      ))}
    </div>
  )
}

function ChatTurn({
  turn,
  agentName,
  passages,
  onSendAgain,
}: {
  readonly turn: TurnState
  readonly agentName: string
  readonly passages: readonly Passage[]
  readonly onSendAgain?: (() => void) | undefined
}) {
  const t = useText()
  const lastMessageIndex = turn.parts.findLastIndex(({ kind }) => kind === 'message')
  return (
    <>
      <Bubble side="person" speaker={t('You')}>
        {turn.content}
      </Bubble>
      {turn.parts.map((part, index) =>
        part.kind === 'tool' ? (
          <ToolDetails key={part.toolCallId} tool={part} />
        ) : (
          <Bubble
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only appended.
            key={index}
            side="agent"
            speaker={agentName}
            note={index === lastMessageIndex && hasEnded(turn) ? <ReplyTimes turn={turn} /> : null}
          >
            {part.text}
            {part.isIncomplete && '…'}
          </Bubble>
        ),
      )}
      {!hasEnded(turn) && lastMessageIndex === -1 && (
        <span className="self-start rounded-lg bg-sunken px-3 py-2 text-muted">{t('Thinking…')}</span>
      )}
      {lastMessageIndex !== -1 && hasEnded(turn) && <PassageNote passages={passages} />}
      <TurnEnd turn={turn} onSendAgain={onSendAgain} />
    </>
  )
}

function ReplyTimes({ turn: { firstWordMs, totalMs } }: { readonly turn: TurnState }) {
  const t = useText()
  const format = useFormatter()
  return (
    <>
      {firstWordMs !== null && <span>{t('First word: {time}', { time: format.duration(firstWordMs) })}</span>}
      {totalMs !== null && <span>{t('total: {time}', { time: format.duration(totalMs) })}</span>}
    </>
  )
}

function TurnEnd({
  turn: { status, failure },
  onSendAgain,
}: {
  readonly turn: TurnState
  readonly onSendAgain?: (() => void) | undefined
}) {
  const t = useText()
  if (status === 'cancelled') return <p className="self-start text-xs text-muted">{t('You stopped the reply.')}</p>
  if (status !== 'failed' && status !== 'interrupted' && status !== 'rejected') return null
  const text = failure ?? (status === 'interrupted' ? t('The server stopped during the reply. Try again.') : null)
  return (
    <div className="flex flex-col items-start gap-2 self-stretch">
      {text && (
        <p role="alert" dir="auto" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
          {text}
        </p>
      )}
      {onSendAgain && (
        <Button icon={RotateCw} onClick={onSendAgain}>
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

/** Renders a collapsed tool call with its arguments and result. */
function ToolDetails({ tool }: { readonly tool: ToolPart }) {
  const t = useText()
  const { name, result, isSuccessful } = tool
  return (
    <details className="group max-w-full min-w-0 self-start rounded-md border border-line bg-panel">
      <summary className="flex min-h-9 list-none items-center gap-2 px-2.5 py-1 [&::-webkit-details-marker]:hidden">
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <code className="min-w-0 truncate text-xs" dir="auto">
          {name}
        </code>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90 rtl:-scale-x-100"
        />
        {result === null && <Badge>{t('Running')}</Badge>}
        {result !== null && isSuccessful === false && <Badge tone="bad">{t('Failed')}</Badge>}
        {result !== null && isSuccessful !== false && <Badge tone="good">{t('Success')}</Badge>}
      </summary>
      <div className="flex flex-col gap-2 border-t border-line p-2.5">
        <ToolText label={t('Arguments')} text={tool.arguments} />
        {result !== null && <ToolText label={t('Result')} text={result} />}
      </div>
    </details>
  )
}

function ToolText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <div className="text-xs text-muted">{label}</div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll. */}
      <pre tabIndex={0} className="max-h-48 overflow-auto text-xs break-words whitespace-pre-wrap" dir="auto">
        {text === '' ? '–' : formatJson(text)}
      </pre>
    </div>
  )
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
