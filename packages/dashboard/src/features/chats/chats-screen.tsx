import type { ChatSummary } from '@parley/contract/chat'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MessagesSquare, SearchX } from 'lucide-react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { SentimentBadge } from '../../parts/transcript/sentiment-badge.tsx'
import { ChatStatusBadge } from './chat-badges.tsx'
import { type ChatFilter, toChatQuery } from './chat-filter.ts'
import { ChatFilters } from './chat-filters.tsx'
import { TYPE_WORDS } from './chat-words.ts'

const EVERY_MS = 15_000

/** All chats of the workspace, newest first. */
export function ChatsScreen() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const filter = useSearch({ from: '/signed-in/$workspaceId/chats' })
  const navigate = useNavigate({ from: '/$workspaceId/chats' })
  const setFilter = (search: ChatFilter): void => void navigate({ search, replace: true })
  const pages = usePages('listChats', { query: toChatQuery(filter) }, { everyMs: EVERY_MS })
  const clear = (): void => setFilter({})
  return (
    <Page title={t('Chats')} description={t('Written conversations, and what came of them.')}>
      <ChatFilters filter={filter} onChange={setFilter} onClear={clear} />
      <DataList
        key={JSON.stringify(filter)}
        label={t('Chats')}
        pages={pages}
        columns={useColumns()}
        rowKey={({ chatId }) => chatId}
        onOpen={({ chatId }) => void navigate({ to: '/$workspaceId/chats/$chatId', params: { workspaceId, chatId } })}
        empty={<NoChats isFiltered={Object.keys(filter).length > 0} onClear={clear} />}
      />
    </Page>
  )
}

function NoChats({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  if (isFiltered) {
    return (
      <Empty
        icon={SearchX}
        title={t('No chat matches')}
        action={<Button onClick={onClear}>{t('Clear filters')}</Button>}
      >
        {t('No chat fits all of these filters.')}
      </Empty>
    )
  }
  return (
    <Empty
      icon={MessagesSquare}
      title={t('No chat yet')}
      action={
        may('createChat') && (
          <ButtonLink kind="primary" to="/$workspaceId/agents" params={{ workspaceId }}>
            {t('Go to the agents')}
          </ButtonLink>
        )
      }
    >
      {t('Chats stand here from their first message on. Open an agent and write to it.')}
    </Empty>
  )
}

function useColumns(): readonly Column<ChatSummary>[] {
  const t = useText()
  const formats = useFormats()
  return [
    { key: 'time', title: t('Time'), width: 'md:w-48', cell: (chat) => <ChatLink chat={chat} /> },
    {
      key: 'agent',
      title: t('Agent'),
      from: 'md',
      width: 'lg:w-48 xl:w-56',
      cell: ({ agentName, version }) => (
        <span className="flex min-w-0 items-baseline gap-1.5">
          <span dir="auto" className="truncate text-left" title={agentName}>
            {agentName === '' ? t('Without a name') : agentName}
          </span>
          <span className="shrink-0 text-xs text-muted">v{version}</span>
        </span>
      ),
    },
    { key: 'status', title: t('Status'), width: 'w-32', cell: ({ status }) => <ChatStatusBadge status={status} /> },
    { key: 'type', title: t('Type'), from: 'lg', width: 'w-32', cell: ({ type }) => t(TYPE_WORDS[type]) },
    {
      key: 'summary',
      title: t('Summary'),
      from: 'lg',
      cell: ({ chatAnalysis: { summary } }) =>
        summary === null ? <span className="text-muted">–</span> : <span className="line-clamp-2">{summary}</span>,
    },
    {
      key: 'sentiment',
      title: t('Sentiment'),
      from: 'xl',
      width: 'w-28',
      cell: ({ chatAnalysis: { sentiment } }) => <SentimentBadge sentiment={sentiment} />,
    },
    {
      key: 'cost',
      title: t('Cost'),
      from: 'sm',
      width: 'w-24',
      align: 'end',
      cell: ({ chatCost: { total } }) => (total === null ? '–' : formats.dollars(total)),
    },
  ]
}

function ChatLink({ chat: { chatId, workspaceId, startedAt, agentName } }: { readonly chat: ChatSummary }) {
  return (
    <span className="flex min-w-0 flex-col">
      <Link
        to="/$workspaceId/chats/$chatId"
        params={{ workspaceId, chatId }}
        className="w-fit font-medium *:whitespace-normal hover:underline md:*:whitespace-nowrap"
      >
        <Moment at={startedAt} />
      </Link>
      <span dir="auto" className="truncate text-left text-xs text-muted md:hidden">
        {agentName}
      </span>
    </span>
  )
}
