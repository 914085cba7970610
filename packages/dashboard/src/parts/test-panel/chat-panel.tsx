import { MessageSquare, RotateCcw, Square } from 'lucide-react'
import { useEffect } from 'react'
import { Button, ButtonLink, IconButton } from '../../components/button.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type FoundInTurn, passagesOfTurn } from '../transcript/cited-passages.ts'
import { Bubble } from './bubble.tsx'
import { isOver } from './chat-state.ts'
import { ChatTurn } from './chat-turn.tsx'
import { MessageBox } from './message-box.tsx'
import { StartProblem } from './start-problem.tsx'
import { runningTurn, type TestChatState } from './test-chat-state.ts'
import { useFollowEnd } from './use-follow-end.ts'
import type { TestChat } from './use-test-chat.ts'

const NO_PASSAGES: readonly FoundInTurn[] = []

/** The chat of the panel. */
export function ChatPanel({ chat }: { readonly chat: TestChat }) {
  const t = useText()
  if (chat.phase === 'idle' || chat.phase === 'starting') {
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="text-muted">
          {t('Write with the newest version of the agent. The chat is kept with the others.')}
        </p>
        {chat.problem && <StartProblem problem={chat.problem} />}
        <Button kind="primary" icon={MessageSquare} busy={chat.phase === 'starting'} onClick={() => void chat.start()}>
          {t('Start chat')}
        </Button>
      </div>
    )
  }
  return <OpenChat chat={chat} />
}

function OpenChat({ chat }: { readonly chat: TestChat }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const running = runningTurn(chat)
  const isOpen = chat.phase === 'open'
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ChatLines chat={chat} isAnswering={running !== null} />
      {chat.isReconnecting && (
        <p role="status" className="text-warn">
          {t('The connection was cut. Reading on …')}
        </p>
      )}
      {chat.problem && <StartProblem problem={chat.problem} />}
      {isOpen && (
        <MessageBox label={t('Message')} isWaiting={running !== null} onSend={chat.send}>
          {running !== null && (
            <IconButton
              icon={Square}
              kind="plain"
              label={t('Stop the answer')}
              disabled={running.turnId === null}
              onClick={() => void chat.stop()}
            />
          )}
        </MessageBox>
      )}
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
            <p className="w-full text-muted">{t('The chat is over.')}</p>
            <Button kind="primary" icon={MessageSquare} onClick={() => void chat.start()}>
              {t('Start chat')}
            </Button>
          </>
        )}
        {chat.chatId !== null && (
          <ButtonLink kind="quiet" to="/$workspaceId/chats/$chatId" params={{ workspaceId, chatId: chat.chatId }}>
            {t('Open the chat’s page')}
          </ButtonLink>
        )}
      </div>
    </div>
  )
}

function ChatLines({ chat, isAnswering }: { readonly chat: TestChat; readonly isAnswering: boolean }) {
  const t = useText()
  const end = useFollowEnd<HTMLDivElement>()
  const found = useFoundPassages(chat)
  const agentName = chat.agentName === '' ? t('The agent') : chat.agentName
  const last = chat.turns.length - 1
  return (
    <div
      {...end}
      role="log"
      aria-label={t('Chat')}
      aria-live="polite"
      aria-busy={isAnswering}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
      tabIndex={0}
      className="flex h-[min(28rem,50dvh)] flex-col gap-3 overflow-y-auto rounded-md border border-line p-3"
    >
      {chat.opening.length === 0 && chat.turns.length === 0 && (
        <p className="m-auto text-center text-muted">{t('The agent waits for your first message.')}</p>
      )}
      {chat.opening.map(({ id, text }) => (
        <Bubble key={id} side="agent" speaker={agentName}>
          {text}
        </Bubble>
      ))}
      {chat.turns.map((turn, index) => (
        <ChatTurn
          key={turn.key}
          turn={turn}
          agentName={agentName}
          passages={passagesOfTurn(found, turn.turnId)}
          onSendAgain={index === last && chat.phase === 'open' ? chat.sendAgain : undefined}
        />
      ))}
    </div>
  )
}

/** What the answers of a chat were given from. The stream of a turn does not say: it is asked once a turn is over. */
function useFoundPassages({ chatId, turns }: Pick<TestChatState, 'chatId' | 'turns'>): readonly FoundInTurn[] {
  const answered = turns.filter(isOver).length
  const { data, refetch } = useRead(
    'getChat',
    { path: { chatId: chatId ?? '' } },
    { enabled: chatId !== null && answered > 0 },
  )
  useEffect(() => {
    if (answered > 1) void refetch()
  }, [answered, refetch])
  return data?.retrievedPassages ?? NO_PASSAGES
}
