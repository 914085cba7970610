import type { EngineKind } from '@parley/contract/response-engine'
import type { Usage } from '@parley/contract/usage'
import { useNavigate } from '@tanstack/react-router'
import { type LucideIcon, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { SelectField } from '../../components/fields.tsx'
import { ListScreen, RowLink } from '../../components/list-screen.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { type BulkAction, SelectionBar, useSelection } from '../../components/selectable-rows.tsx'
import { ProblemPanel } from '../../components/states.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import type { Pages } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AGENT_LABELS, AgentMenu, useDuplicateAgent } from './agent-actions.tsx'
import type { AgentApi, AnyAgent } from './agent-api.ts'
import { AGENT_PATHS } from './agent-search.ts'
import { type AgentUsage, useWeeklyAgentUsage } from './agent-usage.ts'
import { toEngineKind } from './engine.ts'

export interface AgentListProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly pages: Pages<Value>
  /** Labels in the language of the page. */
  readonly labels: Readonly<Record<'description' | 'emptyTitle' | 'emptyText', string>>
  readonly icon: LucideIcon
  /** Renders the dialog that creates an agent. */
  readonly dialog: (onClose: () => void, onCreated: (agentId: string) => void) => ReactNode
  /** Columns for this kind of agent only, displayed after the response engine. */
  readonly columns?: readonly Column<Value>[]
  /** Usage columns, displayed after the language. */
  readonly stats: readonly StatName[]
}

type SortName = 'latest' | 'name' | 'edited'
const SORT_LABELS: Readonly<Record<SortName, string>> = {
  latest: message('Latest'),
  name: message('Name'),
  edited: message('Last edited'),
}

/** Lists agents. Press `n` to create an agent and `d` to duplicate the selected row. */
export function AgentList<Value extends AnyAgent>(props: AgentListProps<Value>) {
  const { api, labels, icon, dialog } = props
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const can = useCan()
  const canCreate = can(api.operations.create)
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState<SortName>('latest')
  const usage = useWeeklyAgentUsage()
  const pages = useVisibleAgents(props.pages, { search, sort })
  const selection = useSelection<Value>(pages.rows, {
    getRowKey: getAgentId,
    getName: (agent) => agent.agent_name || getAgentId(agent),
  })
  const columns = useAgentColumns(props, usage)
  const duplicate = useDuplicateAgent(api)
  const openAgent = (agentId: string): void =>
    void navigate({ to: AGENT_PATHS[api.kind].editor, params: { workspaceId, agentId } })
  const deleteAction: BulkAction<Value> = {
    label: t('Delete…'),
    icon: Trash2,
    confirm: {
      title: t('Delete selected agents?'),
      description: t(AGENT_LABELS[api.kind].deleteDescription),
    },
    run: (agent) => api.remove({ workspaceId, agentId: getAgentId(agent) }),
    successMessage: t('Agents deleted'),
  }
  return (
    <ListScreen
      title={t(AGENT_LABELS[api.kind].list)}
      description={labels.description}
      createAction={{
        label: t(AGENT_LABELS[api.kind].create),
        isAllowed: canCreate,
        dialog: (onClose) => dialog(onClose, openAgent),
      }}
      filters={
        <>
          {pages.error === null && usage.problem && (
            <ProblemPanel problem={usage.problem} onRetry={() => void usage.refetch()} />
          )}
          {props.pages.rows.length > 0 && <AgentFilters {...{ search, sort, setSearch, setSort }} />}
        </>
      }
      pages={{ ...pages, refetch: () => Promise.all([pages.refetch(), usage.refetch()]) }}
      columns={can(api.operations.remove) ? [selection.column, ...columns] : columns}
      getRowKey={getAgentId}
      onOpen={(agent) => openAgent(getAgentId(agent))}
      rowHotkeys={canCreate ? { d: (agent) => duplicate(getAgentId(agent)) } : {}}
      emptyState={
        search === ''
          ? { icon, title: labels.emptyTitle, children: labels.emptyText }
          : {
              icon,
              title: t('No matches'),
              children: t('No agent has this name or ID.'),
              action: <Button onClick={() => setSearch('')}>{t('Clear search')}</Button>,
            }
      }
    >
      <SelectionBar selection={selection} actions={[deleteAction]} invalidates={[api.operations.list, 'listNumbers']} />
    </ListScreen>
  )
}

const getAgentId = ({ agent_id: id }: AnyAgent): string => id

interface AgentFiltersProps extends ListView {
  readonly setSearch: (search: string) => void
  readonly setSort: (sort: SortName) => void
}

function AgentFilters({ search, sort, setSearch, setSort }: AgentFiltersProps) {
  const t = useText()
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SearchBox label={t('Search by name or ID')} value={search} onSearch={setSearch} />
      <SelectField<SortName>
        className="w-44"
        label={t('Sort by')}
        value={sort}
        choices={Object.entries(SORT_LABELS).map(([value, label]) => ({ value: value as SortName, label: t(label) }))}
        onChange={setSort}
      />
    </div>
  )
}

interface ListView {
  readonly search: string
  readonly sort: SortName
}

/** Filters and sorts agents. Loads all pages, unless there is no search and the server's order applies. */
function useVisibleAgents<Value extends AnyAgent>(pages: Pages<Value>, { search, sort }: ListView): Pages<Value> {
  const { rows, error, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const needsAllPages = search !== '' || sort !== 'latest'
  useEffect(() => {
    if (needsAllPages && hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage()
  }, [needsAllPages, hasNextPage, isFetchingNextPage, error, fetchNextPage])
  const visibleRows = useMemo(() => {
    const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
    const matches = rows.filter(({ agent_name: name, agent_id: id }) =>
      terms.every((term) => `${name} ${id}`.toLowerCase().includes(term)),
    )
    if (sort === 'name') matches.sort((a, b) => a.agent_name.localeCompare(b.agent_name))
    if (sort === 'edited') matches.sort((a, b) => b.updated_at.localeCompare(a.updated_at))
    return matches
  }, [rows, search, sort])
  return { ...pages, rows: visibleRows }
}

const ENGINE_LABELS: Readonly<Record<EngineKind, string>> = {
  llm: message('Prompt'),
  'conversation-flow': message('Conversation flow'),
  'custom-llm': message('Custom LLM'),
}

function useAgentColumns<Value extends AnyAgent>(
  { api, columns = [], stats }: AgentListProps<Value>,
  usage: AgentUsage,
): readonly Column<Value>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const buildStatColumn = useStatColumn<Value>(usage)
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ agent_id: agentId, agent_name: name }) => (
        <RowLink to={AGENT_PATHS[api.kind].editor} params={{ workspaceId, agentId }}>
          {name || t('Unnamed')}
        </RowLink>
      ),
    },
    {
      key: 'engine',
      title: t('Type'),
      visibleFrom: 'xl',
      width: 'w-40',
      cell: ({ response_engine: engine }) => t(ENGINE_LABELS[toEngineKind(engine.type)]),
    },
    ...columns,
    { key: 'language', title: t('Language'), visibleFrom: '2xl', width: 'w-24', cell: ({ language }) => language },
    ...stats.map(buildStatColumn),
    {
      key: 'version',
      title: t('Version'),
      visibleFrom: 'sm',
      width: 'w-40',
      cell: (agent) => <VersionCell agent={agent} />,
    },
    buildTimeColumn(t('Edited'), ({ updated_at: updatedAt }) => updatedAt, { width: 'w-32' }),
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (agent) => <AgentMenu api={api} agent={agent} />,
    },
  ]
}

function VersionCell({ agent }: { readonly agent: AnyAgent }) {
  const t = useText()
  return (
    <span className="flex flex-wrap items-center gap-x-2 tabular-nums">
      {agent.version}
      {agent.is_active ? (
        <Badge tone="good">{t('Live')}</Badge>
      ) : (
        <span className="text-xs text-muted">{t('Unpublished changes')}</span>
      )}
    </span>
  )
}

type StatName = 'calls' | 'chats' | 'latency' | 'success'

/** Returns a function that builds a stat column for the last seven days. Cells are empty while loading. */
function useStatColumn<Value extends AnyAgent>({ usageByAgent }: AgentUsage): (name: StatName) => Column<Value> {
  const t = useText()
  const format = useFormatter()
  const formatOrDash = (value: number | null, formatValue: (value: number) => string): string | null =>
    value === null ? null : formatValue(value)
  const buildColumn = (
    columnProps: Pick<Column<Value>, 'key' | 'title' | 'visibleFrom' | 'width'>,
    formatUsage: (usage: Usage) => string | null,
  ): Column<Value> => ({
    ...columnProps,
    align: 'end',
    cell({ agent_id: agentId }) {
      const usage = usageByAgent?.get(agentId)
      return usageByAgent === null ? null : ((usage && formatUsage(usage)) ?? '–')
    },
  })
  const statColumns: Readonly<Record<StatName, Column<Value>>> = {
    calls: buildColumn(
      { key: 'calls', title: t('Calls, 7\u00a0days'), visibleFrom: 'md', width: 'w-20' },
      ({ calls }) => formatOrDash(calls || null, format.number),
    ),
    chats: buildColumn(
      { key: 'chats', title: t('Chats, 7\u00a0days'), visibleFrom: 'md', width: 'w-20' },
      ({ chats }) => formatOrDash(chats || null, format.number),
    ),
    latency: buildColumn({ key: 'latency', title: t('Median response'), visibleFrom: 'xl', width: 'w-28' }, (usage) =>
      formatOrDash(usage.latencyP50Ms, format.duration),
    ),
    success: buildColumn({ key: 'success', title: t('Success'), visibleFrom: 'lg', width: 'w-20' }, ({ successRate }) =>
      formatOrDash(successRate, format.percent),
    ),
  }
  return (name) => statColumns[name]
}
