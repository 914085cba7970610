import type { EngineKind } from '@parley/contract/response-engine'
import type { Usage } from '@parley/contract/usage'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type LucideIcon, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { DeleteDialog } from '../../components/dialog.tsx'
import { SelectField } from '../../components/fields.tsx'
import { Page } from '../../components/page.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Empty, ProblemPanel } from '../../components/states.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { notify } from '../../components/toasts.tsx'
import { type Pages, refresh } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AGENT_LABELS, AgentMenu, useDuplicateAgent } from './agent-actions.tsx'
import type { AgentApi, AnyAgent } from './agent-api.ts'
import { AGENT_PATHS } from './agent-search.ts'
import { type AgentUsage, useAgentsOfWeek } from './agent-usage.ts'
import { engineKindOf } from './engine.ts'

export interface AgentListProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly pages: Pages<Value>
  /** Texts in the language of the page. */
  readonly words: Readonly<Record<'description' | 'emptyTitle' | 'emptyText', string>>
  readonly icon: LucideIcon
  /** The dialog that creates an agent. */
  readonly dialog: (onClose: () => void, onCreated: (agentId: string) => void) => ReactNode
  /** Columns of this kind of agent only, after the response engine. */
  readonly columns?: readonly Column<Value>[]
  /** Usage columns, after the language. */
  readonly stats: readonly StatName[]
}

type SortName = 'newest' | 'name' | 'edited'
const SORT_LABELS: Readonly<Record<SortName, string>> = {
  newest: message('Newest'),
  name: message('Name'),
  edited: message('Last edited'),
}

/** A list of agents: `n` creates one, `d` duplicates the one of the row. */
export function AgentList<Value extends AnyAgent>(props: AgentListProps<Value>) {
  const { api, words, icon, dialog } = props
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const can = useCan()
  const canCreate = can(api.operations.create)
  const [isCreating, setIsCreating] = useState(false)
  const [search, setSearch] = useState('')
  const [sort, setSort] = useState<SortName>('newest')
  const selection = useSelection()
  const usage = useAgentsOfWeek()
  const pages = useSorted(props.pages, { search, sort })
  const columns = useColumns(props, { usage, selection: can(api.operations.remove) ? selection : null })
  const duplicate = useDuplicateAgent(api)
  const title = t(AGENT_LABELS[api.kind].list)
  useHotkeys(canCreate ? { n: () => setIsCreating(true) } : {})
  const open = (agentId: string): void =>
    void navigate({ to: AGENT_PATHS[api.kind].editor, params: { workspaceId, agentId } })
  const newButton = canCreate && (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t(AGENT_LABELS[api.kind].create)}
    </Button>
  )
  return (
    <Page title={title} description={words.description} actions={newButton}>
      {pages.error === null && usage.problem && (
        <ProblemPanel problem={usage.problem} onRetry={() => void usage.refetch()} />
      )}
      {props.pages.rows.length > 0 && (
        <div className="flex flex-wrap items-end gap-3">
          <SearchBox label={t('Search by name or ID')} value={search} onSearch={setSearch} />
          <SelectField<SortName>
            className="w-44"
            label={t('Sort by')}
            value={sort}
            choices={Object.entries(SORT_LABELS).map(([value, label]) => ({
              value: value as SortName,
              label: t(label),
            }))}
            onChange={setSort}
          />
          <SelectedAgents api={api} rows={props.pages.rows} selection={selection} />
        </div>
      )}
      <DataList
        label={title}
        pages={{ ...pages, refetch: () => Promise.all([pages.refetch(), usage.refetch()]) }}
        columns={columns}
        rowKey={({ agent_id: agentId }) => agentId}
        onOpen={({ agent_id: agentId }) => open(agentId)}
        rowKeys={canCreate ? { d: ({ agent_id: agentId }) => duplicate(agentId) } : {}}
        empty={
          search === '' ? (
            <Empty icon={icon} title={words.emptyTitle} action={newButton}>
              {words.emptyText}
            </Empty>
          ) : (
            <Empty
              icon={icon}
              title={t('No matches')}
              action={<Button onClick={() => setSearch('')}>{t('Clear search')}</Button>}
            >
              {t('No agent has this name or ID.')}
            </Empty>
          )
        }
      />
      {isCreating && dialog(() => setIsCreating(false), open)}
    </Page>
  )
}

interface Order {
  readonly search: string
  readonly sort: SortName
}

/** The server lists newest first; every other order and every search needs all pages. */
function useSorted<Value extends AnyAgent>(pages: Pages<Value>, { search, sort }: Order): Pages<Value> {
  const { rows, error, hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const needsAll = search !== '' || sort !== 'newest'
  useEffect(() => {
    if (needsAll && hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage()
  }, [needsAll, hasNextPage, isFetchingNextPage, error, fetchNextPage])
  const shown = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const found = rows.filter(({ agent_name: name, agent_id: id }) =>
      words.every((word) => `${name} ${id}`.toLowerCase().includes(word)),
    )
    if (sort === 'name') found.sort((one, other) => one.agent_name.localeCompare(other.agent_name))
    if (sort === 'edited') found.sort((one, other) => other.updated_at.localeCompare(one.updated_at))
    return found
  }, [rows, search, sort])
  return { ...pages, rows: shown }
}

interface Selection {
  readonly ids: ReadonlySet<string>
  toggle(id: string): void
  set(ids: readonly string[]): void
}

function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return {
    ids,
    set: (chosen) => setIds(new Set(chosen)),
    toggle: (id) =>
      setIds((current) => new Set(current.has(id) ? [...current].filter((one) => one !== id) : [...current, id])),
  }
}

interface SelectedAgentsProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly rows: readonly Value[]
  readonly selection: Selection
}

/** Deletes selected agents one by one; those that fail stay selected. */
function SelectedAgents<Value extends AnyAgent>({ api, rows, selection }: SelectedAgentsProps<Value>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const [isAsking, setIsAsking] = useState(false)
  const [done, setDone] = useState<number | null>(null)
  const [problem, setProblem] = useState<Error | null>(null)
  const selected = rows.filter(({ agent_id: id }) => selection.ids.has(id))
  const count = selected.length
  if (count === 0 && !isAsking) return null

  async function removeAll(): Promise<void> {
    const failed: { readonly id: string; readonly error: Error }[] = []
    for (const [index, { agent_id: agentId }] of selected.entries()) {
      setDone(index)
      try {
        await api.remove({ workspaceId, agentId })
      } catch (error) {
        failed.push({ id: agentId, error: error instanceof Error ? error : new Error(String(error)) })
      }
    }
    setDone(null)
    selection.set(failed.map(({ id }) => id))
    setProblem(failed[0]?.error ?? null)
    const deleted = count - failed.length
    if (deleted > 0) notify(t('{count, plural, one {# agent deleted} other {# agents deleted}}', { count: deleted }))
    if (failed.length === 0) setIsAsking(false)
    await refresh(client, [api.operations.list, 'listNumbers'])
  }

  const total = t('{count, plural, one {# agent} other {# agents}}', { count })
  return (
    <>
      <Button
        icon={Trash2}
        onClick={() => {
          setProblem(null)
          setIsAsking(true)
        }}
      >
        {t('Delete selected ({count})', { count })}
      </Button>
      {isAsking && (
        <DeleteDialog
          open
          onOpenChange={() => done === null && setIsAsking(false)}
          title={t('Delete {total}?', { total })}
          consequence={
            done === null ? (
              <>
                <p>{t(AGENT_LABELS[api.kind].deleteConsequence)}</p>
                <p className="mt-2">{selected.map(({ agent_name: name, agent_id: id }) => name || id).join(', ')}</p>
              </>
            ) : (
              <p role="status">{t('Deleted {done} of {count}', { done, count })}</p>
            )
          }
          name={total}
          label={t('Delete')}
          isBusy={done !== null}
          problem={problem}
          onDelete={() => void removeAll()}
        />
      )}
    </>
  )
}

const ENGINE_LABELS: Readonly<Record<EngineKind, string>> = {
  llm: message('Prompt'),
  'conversation-flow': message('Conversation flow'),
  'custom-llm': message('Custom LLM'),
}

interface ColumnOptions {
  readonly usage: AgentUsage
  /** Null without the right to delete. */
  readonly selection: Selection | null
}

function useColumns<Value extends AnyAgent>(
  { api, columns = [], stats }: AgentListProps<Value>,
  { usage, selection }: ColumnOptions,
): readonly Column<Value>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const statColumn = useStatColumn<Value>(usage)
  return [
    ...(selection === null ? [] : [selectColumn<Value>(selection, t)]),
    {
      key: 'name',
      title: t('Name'),
      cell: ({ agent_id: agentId, agent_name: name }) => (
        <Link
          to={AGENT_PATHS[api.kind].editor}
          params={{ workspaceId, agentId }}
          className="line-clamp-2 font-medium break-words hover:underline"
        >
          {name || t('Unnamed')}
        </Link>
      ),
    },
    {
      key: 'engine',
      title: t('Engine'),
      from: 'xl',
      width: 'w-40',
      cell: ({ response_engine: engine }) => t(ENGINE_LABELS[engineKindOf(engine.type)]),
    },
    ...columns,
    { key: 'language', title: t('Language'), from: '2xl', width: 'w-24', cell: ({ language }) => language },
    ...stats.map(statColumn),
    { key: 'version', title: t('Version'), from: 'sm', width: 'w-40', cell: (agent) => <VersionCell agent={agent} /> },
    {
      key: 'edited',
      title: t('Edited'),
      from: 'md',
      width: 'w-32',
      cell: ({ updated_at: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (agent) => <AgentMenu api={api} agent={agent} />,
    },
  ]
}

function selectColumn<Value extends AnyAgent>(selection: Selection, t: ReturnType<typeof useText>): Column<Value> {
  return {
    key: 'select',
    title: t('Select'),
    from: 'md',
    width: 'w-16',
    cell: ({ agent_id: agentId, agent_name: name }) => (
      <label className="flex size-8 items-center justify-center">
        <input
          type="checkbox"
          className="size-4 accent-brand-text"
          aria-label={t('Select {name}', { name: name || agentId })}
          checked={selection.ids.has(agentId)}
          onChange={() => selection.toggle(agentId)}
        />
      </label>
    ),
  }
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

/** Stats of the last seven days; empty until known, a dash for no value. */
function useStatColumn<Value extends AnyAgent>({ byAgent }: AgentUsage): (name: StatName) => Column<Value> {
  const t = useText()
  const { number, duration, percent } = useFormats()
  const orNone = (value: number | null, format: (value: number) => string): string | null =>
    value === null ? null : format(value)
  const column = (
    shape: Pick<Column<Value>, 'key' | 'title' | 'from' | 'width'>,
    format: (usage: Usage) => string | null,
  ): Column<Value> => ({
    ...shape,
    align: 'end',
    cell({ agent_id: agentId }) {
      const usage = byAgent?.get(agentId)
      return byAgent === null ? null : ((usage && format(usage)) ?? '–')
    },
  })
  const all: Readonly<Record<StatName, Column<Value>>> = {
    calls: column({ key: 'calls', title: t('Calls, 7\u00a0days'), from: 'md', width: 'w-20' }, ({ calls }) =>
      orNone(calls || null, number),
    ),
    chats: column({ key: 'chats', title: t('Chats, 7\u00a0days'), from: 'md', width: 'w-20' }, ({ chats }) =>
      orNone(chats || null, number),
    ),
    latency: column({ key: 'latency', title: t('Median response'), from: 'xl', width: 'w-28' }, (usage) =>
      orNone(usage.latencyP50Ms, duration),
    ),
    success: column({ key: 'success', title: t('Success'), from: 'lg', width: 'w-20' }, ({ successRate }) =>
      orNone(successRate, percent),
    ),
  }
  return (name) => all[name]
}
