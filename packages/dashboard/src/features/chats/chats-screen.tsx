import type { ChatSummary } from '@parley/contract/chat'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { MessagesSquare, Trash2 } from 'lucide-react'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Page } from '../../components/page.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { type BulkAction, SelectionBar, useSelection } from '../../components/selectable-rows.tsx'
import { DateTime } from '../../components/time.tsx'
import { addWorkspace, usePages } from '../../lib/api/hooks.ts'
import { type NextPage, request } from '../../lib/api/request.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { VariantBadge } from '../../parts/transcript/conversation-cells.tsx'
import { NoConversations, useConversationColumns } from '../../parts/transcript/conversation-list.tsx'
import { type CsvSource, ExportButton } from '../../parts/transcript/csv-export.tsx'
import { FilterBar, NoMatches, StatusAndDays } from '../../parts/transcript/filter-bar.tsx'
import { CHAT_STATUSES, type ChatFilter, readChatFilter, toChatQuery } from './chat-filter.ts'
import { STATUS_VARIANTS, TYPE_LABELS } from './chat-labels.ts'

const POLL_INTERVAL_MS = 15_000
const EXPORT_PAGE_ROWS = 500

/** Lists the chats of the workspace, latest first. */
export function ChatsScreen() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const filter = useSearch({ from: '/signed-in/$workspaceId/chats' })
  const navigate = useNavigate({ from: '/$workspaceId/chats' })
  const setFilter = (search: ChatFilter): void => void navigate({ search, replace: true })
  const clearFilter = (): void => setFilter({})
  const pages = usePages('listChats', { query: toChatQuery(filter) }, { refetchMs: POLL_INTERVAL_MS })
  const selection = useSelection(pages.rows, { getRowKey: ({ chatId }) => chatId, getName: useChatName() })
  const actions = useBulkActions()
  const csvSource = useCsvSource(filter)
  return (
    <Page
      title={t('Chats')}
      description={t('Chats with their outcome, latency and cost.')}
      actions={pages.rows.length > 0 && <ExportButton source={csvSource} />}
    >
      <ChatFilters filter={filter} onChange={setFilter} onClear={clearFilter} />
      <DataList
        key={JSON.stringify(filter)}
        label={t('Chats')}
        pages={pages}
        columns={useColumns(actions.length > 0 ? [selection.column] : [])}
        getRowKey={selection.getRowKey}
        onOpen={({ chatId }) => void navigate({ to: '/$workspaceId/chats/$chatId', params: { workspaceId, chatId } })}
        emptyState={Object.keys(filter).length > 0 ? <NoMatches onClear={clearFilter} /> : <NoChats />}
      />
      <SelectionBar selection={selection} actions={actions} invalidates={['listChats', 'getChat']} />
    </Page>
  )
}

function useChatName(): (chat: ChatSummary) => string {
  const format = useFormatter()
  return ({ startedAt, agentName }) => `${format.dateTime(startedAt)}, ${agentName}`
}

function useBulkActions(): readonly BulkAction<ChatSummary>[] {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  if (!can('deleteChat')) return []
  return [
    {
      label: t('Delete…'),
      icon: Trash2,
      confirm: {
        title: t('Delete selected chats?'),
        description: t('Messages and all other data of these chats are permanently deleted.'),
      },
      run: ({ chatId }) => request('deleteChat', addWorkspace('deleteChat', { path: { chatId } }, workspaceId)),
      successMessage: t('Chats deleted'),
    },
  ]
}

/** Returns the source of the CSV export. Times are in UTC so that spreadsheets can compare them. */
function useCsvSource(filter: ChatFilter): CsvSource<ChatSummary> {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return {
    fileName: 'chats.csv',
    getRowKey: ({ chatId }) => chatId,
    async *readPages(signal) {
      let nextPage: NextPage | null = null
      do {
        const query: object = { ...toChatQuery(filter), limit: EXPORT_PAGE_ROWS, ...(nextPage as NextPage | null) }
        const response = await request('listChats', addWorkspace('listChats', { query }, workspaceId), { signal })
        nextPage = response.next
        yield response.value
      } while (nextPage !== null)
    },
    columns: [
      [t('Chat ID'), ({ chatId }) => chatId],
      [t('Started (UTC)'), ({ startedAt }) => startedAt],
      [t('Ended (UTC)'), ({ endedAt }) => endedAt],
      [t('Type'), ({ type }) => type],
      [t('Agent'), ({ agentName }) => agentName],
      [t('Version'), ({ version }) => version],
      [t('Status'), ({ status }) => status],
      [t('Successful'), ({ chatAnalysis: { successful } }) => (successful === null ? null : String(successful))],
      [t('Median latency (ms)'), ({ latencyP50Ms }) => latencyP50Ms],
      [t('Sentiment'), ({ chatAnalysis: { sentiment } }) => sentiment],
      [t('Cost (USD)'), ({ chatCost }) => chatCost.total],
      [t('Summary'), ({ chatAnalysis: { summary } }) => summary],
    ],
  }
}

interface ChatFiltersProps {
  readonly filter: ChatFilter
  readonly onChange: (filter: ChatFilter) => void
  readonly onClear: () => void
}

function ChatFilters({ filter, onChange, onClear }: ChatFiltersProps) {
  const t = useText()
  const agents = useChoices('agents')
  const chatAgents = useChoices('chatAgents')
  const updateFilter = (changes: Record<string, unknown>): void => onChange(readChatFilter({ ...filter, ...changes }))
  return (
    <FilterBar
      isFiltered={Object.keys(filter).length > 0}
      onClear={onClear}
      search={
        <SearchBox
          label={t('Search messages and agents')}
          value={filter.search ?? ''}
          onSearch={(search) => updateFilter({ search })}
        />
      }
    >
      <RecordField
        label={t('Agent')}
        choices={[...chatAgents.choices, ...agents.choices]}
        isLoading={agents.isLoading || chatAgents.isLoading}
        value={filter.agent ?? null}
        emptyLabel={t('All agents')}
        onChange={(agent) => updateFilter({ agent })}
      />
      <StatusAndDays
        filter={filter}
        statuses={CHAT_STATUSES.map((status) => ({ value: status, label: t(STATUS_VARIANTS[status].label) }))}
        onChange={updateFilter}
      />
    </FilterBar>
  )
}

function NoChats() {
  const t = useText()
  return (
    <NoConversations icon={MessagesSquare} title={t('No chats yet')} operation="createChat">
      {t('Chats appear here with their first message. Open an agent to chat with it.')}
    </NoConversations>
  )
}

function useColumns(leadingColumns: readonly Column<ChatSummary>[]): readonly Column<ChatSummary>[] {
  const t = useText()
  const { agent, outcome, sentiment, latency, cost } = useConversationColumns<ChatSummary>((chat) => ({
    ...chat.chatAnalysis,
    agentName: chat.agentName,
    agentVersion: chat.version,
    latencyMs: chat.latencyP50Ms,
    cost: chat.chatCost.total,
  }))
  return [
    ...leadingColumns,
    { key: 'time', title: t('Time'), width: 'md:w-46', cell: (chat) => <ChatLink chat={chat} /> },
    agent,
    {
      key: 'status',
      title: t('Status'),
      width: 'w-32',
      cell: ({ status }) => <VariantBadge variant={STATUS_VARIANTS[status]} />,
    },
    outcome,
    { key: 'type', title: t('Type'), visibleFrom: '2xl', width: 'w-32', cell: ({ type }) => t(TYPE_LABELS[type]) },
    {
      key: 'summary',
      title: t('Summary'),
      visibleFrom: 'lg',
      cell: ({ chatAnalysis: { summary } }) =>
        summary === null ? <span className="text-muted">–</span> : <span className="line-clamp-2">{summary}</span>,
    },
    sentiment,
    latency,
    cost,
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
        <DateTime time={startedAt} />
      </Link>
      <span dir="auto" className="truncate text-left text-xs text-muted md:hidden">
        {agentName}
      </span>
    </span>
  )
}
