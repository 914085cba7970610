import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { File, FileSearch, FileText, Globe, List, type LucideIcon, RotateCw, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Column, DataList } from '../../components/data-list.tsx'
import { SelectField } from '../../components/fields.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { EmptyState } from '../../components/states.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { useAction } from '../../components/use-action.ts'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import {
  getSourceName,
  getSourceOrigin,
  isProcessing,
  mergeLatest,
  STATUS_LABELS,
  TYPE_LABELS,
  toWebLink,
} from '../../parts/knowledge/source-info.ts'
import { NoMatches } from '../../parts/transcript/filter-bar.tsx'
import { StatusBadge } from './base-parts.tsx'
import { type BaseSearch, SOURCE_STATUSES } from './base-search.ts'
import { PassagesDialog } from './passages-dialog.tsx'

/** The open dialog of a source. */
interface OpenDialog {
  readonly dialog: 'passages' | 'delete'
  readonly source: KnowledgeSource
}

/** Lists the sources of a knowledge base, latest first, with their current statuses. */
export function SourceList({ base }: { readonly base: KnowledgeBase }) {
  const t = useText()
  const { status } = useSearch({ strict: false }) as BaseSearch
  const { knowledgeBaseId } = base
  const pages = usePages('listKnowledgeSources', {
    path: { knowledgeBaseId },
    query: { ...(status !== undefined && { status }) },
  })
  const rows = useMemo(() => mergeLatest(pages.rows, base.sources), [pages.rows, base.sources])
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const columns = useColumns(knowledgeBaseId, setOpenDialog)
  return (
    <div className="flex flex-col gap-3">
      {(base.sourceCount > 0 || status !== undefined) && (
        <StatusFilter knowledgeBaseId={knowledgeBaseId} status={status} />
      )}
      <DataList
        label={t('Sources')}
        pages={{ ...pages, rows }}
        columns={columns}
        getRowKey={({ source_id: id }) => id}
        emptyState={<NoSources isFiltered={status !== undefined} knowledgeBaseId={knowledgeBaseId} />}
      />
      {openDialog?.dialog === 'passages' && (
        <PassagesDialog
          knowledgeBaseId={knowledgeBaseId}
          source={openDialog.source}
          onClose={() => setOpenDialog(null)}
        />
      )}
      {openDialog?.dialog === 'delete' && (
        <ConfirmDialog
          operation="deleteKnowledgeSource"
          params={{ path: { knowledgeBaseId, sourceId: openDialog.source.source_id } }}
          invalidates={['getKnowledgeBase', 'listKnowledgeSources', 'listKnowledgeBases']}
          title={t('Delete source?')}
          description={t('“{name}” and its passages are deleted. Agents can no longer use them.', {
            name: getSourceName(openDialog.source) ?? t('Untitled'),
          })}
          label={t('Delete source')}
          successMessage={t('Source deleted')}
          onClose={() => setOpenDialog(null)}
        />
      )}
    </div>
  )
}

function useColumns(
  knowledgeBaseId: string,
  onOpen: (openDialog: OpenDialog) => void,
): readonly Column<KnowledgeSource>[] {
  const t = useText()
  const format = useFormatter()
  return [
    { key: 'name', title: t('Source'), cell: (source) => <SourceName source={source} /> },
    {
      key: 'status',
      title: t('Status'),
      visibleFrom: 'sm',
      width: 'w-36',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      key: 'passages',
      title: t('Passages'),
      visibleFrom: 'sm',
      width: 'w-28',
      align: 'end',
      cell: (source) => <PassageCount source={source} onOpen={() => onOpen({ dialog: 'passages', source })} />,
    },
    {
      key: 'size',
      title: t('Size'),
      visibleFrom: 'lg',
      width: 'w-28',
      align: 'end',
      cell: ({ size }) => (size === null ? <span className="text-muted">–</span> : format.bytes(size)),
    },
    buildTimeColumn(t('Refreshed'), ({ refreshedAt }) => refreshedAt),
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (source) => (
        <SourceMenu
          knowledgeBaseId={knowledgeBaseId}
          source={source}
          onShowPassages={() => onOpen({ dialog: 'passages', source })}
          onDelete={() => onOpen({ dialog: 'delete', source })}
        />
      ),
    },
  ]
}

/** Returns a function that sets the status filter in the URL. */
function useSetStatus(knowledgeBaseId: string): (status: BaseSearch['status']) => void {
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  return (status) =>
    void navigate({
      to: '/$workspaceId/knowledge/$knowledgeBaseId',
      params: { workspaceId, knowledgeBaseId },
      search: status === undefined ? {} : { status },
      replace: true,
    })
}

interface StatusFilterProps {
  readonly knowledgeBaseId: string
  readonly status: BaseSearch['status']
}

function StatusFilter({ knowledgeBaseId, status }: StatusFilterProps) {
  const t = useText()
  const setStatus = useSetStatus(knowledgeBaseId)
  return (
    <SelectField
      className="w-full sm:w-56"
      label={t('Status')}
      value={status ?? ''}
      onChange={(selectedStatus) => setStatus(SOURCE_STATUSES.find((sourceStatus) => sourceStatus === selectedStatus))}
      choices={[
        { value: '', label: t('Any') },
        ...SOURCE_STATUSES.map((value) => ({ value, label: t(STATUS_LABELS[value]) })),
      ]}
    />
  )
}

function NoSources({
  isFiltered,
  knowledgeBaseId,
}: {
  readonly isFiltered: boolean
  readonly knowledgeBaseId: string
}) {
  const t = useText()
  const setStatus = useSetStatus(knowledgeBaseId)
  if (isFiltered) return <NoMatches onClear={() => setStatus(undefined)} />
  return (
    <EmptyState icon={FileSearch} title={t('No sources yet')}>
      {t('Add documents that agents can use to answer.')}
    </EmptyState>
  )
}

function PassageCount({ source, onOpen }: { readonly source: KnowledgeSource; readonly onOpen: () => void }) {
  const t = useText()
  const format = useFormatter()
  const { chunkCount: count } = source
  if (count === 0) return <span className="text-muted">–</span>
  return (
    <button
      type="button"
      className="min-h-6 min-w-6 underline"
      aria-label={t('{count, plural, one {Show # passage} other {Show # passages}}', { count })}
      onClick={onOpen}
    >
      {format.number(count)}
    </button>
  )
}

const ICONS: Readonly<Record<KnowledgeSource['source_type'], LucideIcon>> = { text: FileText, url: Globe, file: File }

/** Displays the name, origin, and error of a source. */
function SourceName({ source }: { readonly source: KnowledgeSource }) {
  const t = useText()
  const Icon = ICONS[source.source_type]
  const origin = getSourceOrigin(source)
  const link = toWebLink(source.url)
  const name = getSourceName(source) ?? t('Untitled')
  return (
    <div className="flex min-w-0 items-start gap-2.5">
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <span className="sr-only">{t(TYPE_LABELS[source.source_type])}: </span>
        <span className="line-clamp-2 font-medium" dir="auto">
          {link === null ? (
            name
          ) : (
            <a href={link} target="_blank" rel="noreferrer" className="hover:underline">
              {name}
            </a>
          )}
        </span>
        {origin !== null && (
          <span className="line-clamp-1 text-muted" dir="auto">
            {origin}
          </span>
        )}
        <span className="mt-1 block sm:hidden">
          <StatusBadge status={source.status} />
        </span>
        {source.error !== null && (
          <span className="block text-bad" dir="auto">
            {source.error}
          </span>
        )}
      </div>
    </div>
  )
}

interface SourceMenuProps {
  readonly knowledgeBaseId: string
  readonly source: KnowledgeSource
  readonly onShowPassages: () => void
  readonly onDelete: () => void
}

function SourceMenu({ knowledgeBaseId, source, onShowPassages, onDelete }: SourceMenuProps) {
  const t = useText()
  const can = useCan()
  const refreshAction = useAction('refreshKnowledgeBase', ['getKnowledgeBase', 'listKnowledgeSources'])
  const { source_id: id, status, source_type: type, chunkCount } = source
  // Processed texts and files are not stored, so only pages can be fetched again.
  const canRefresh = status === 'error' || (type === 'url' && !isProcessing(status))
  const refreshSource = (): void =>
    refreshAction.run({ path: { knowledgeBaseId }, body: { sourceIds: [id] } }, t('Refresh started'))
  return (
    <RowMenu
      name={getSourceName(source) ?? t('Untitled')}
      items={[
        chunkCount > 0 && { label: t('Show passages'), icon: List, onSelect: onShowPassages },
        canRefresh &&
          can('refreshKnowledgeBase') && {
            label: status === 'error' ? t('Try again') : t('Refresh'),
            icon: RotateCw,
            onSelect: refreshSource,
          },
        can('deleteKnowledgeSource') && { label: t('Delete…'), icon: Trash2, kind: 'danger', onSelect: onDelete },
      ]}
    />
  )
}
