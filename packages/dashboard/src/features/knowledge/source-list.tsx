import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileSearch } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { SelectField } from '../../components/fields.tsx'
import { Ago } from '../../components/moment.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type BaseSearch, SOURCE_STATUSES } from './base-search.ts'
import { DeleteSourceDialog } from './delete-source-dialog.tsx'
import { PassagesDialog } from './passages-dialog.tsx'
import { STATUS_LABELS, withNewest } from './source-facts.ts'
import { SourceMenu } from './source-menu.tsx'
import { SourceName } from './source-name.tsx'
import { StatusBadge } from './status-badge.tsx'

/** What is shown of one source in a window of its own. */
interface Shown {
  readonly what: 'passages' | 'delete'
  readonly source: KnowledgeSource
}

/** The sources, newest first, with their states as they are now. */
export function SourceList({ base }: { readonly base: KnowledgeBase }) {
  const t = useText()
  const { status } = useSearch({ strict: false }) as BaseSearch
  const { knowledgeBaseId } = base
  const pages = usePages('listKnowledgeSources', {
    path: { knowledgeBaseId },
    query: { ...(status !== undefined && { status }) },
  })
  const rows = useMemo(() => withNewest(pages.rows, base.sources), [pages.rows, base.sources])
  const [shown, setShown] = useState<Shown | null>(null)
  const columns = useColumns(knowledgeBaseId, setShown)
  return (
    <div className="flex flex-col gap-3">
      {(base.sourceCount > 0 || status !== undefined) && (
        <StatusFilter knowledgeBaseId={knowledgeBaseId} status={status} />
      )}
      <DataList
        label={t('Sources')}
        pages={{ ...pages, rows }}
        columns={columns}
        rowKey={({ source_id: id }) => id}
        empty={<NoSources isFiltered={status !== undefined} knowledgeBaseId={knowledgeBaseId} />}
      />
      {shown?.what === 'passages' && (
        <PassagesDialog knowledgeBaseId={knowledgeBaseId} source={shown.source} onClose={() => setShown(null)} />
      )}
      {shown?.what === 'delete' && (
        <DeleteSourceDialog knowledgeBaseId={knowledgeBaseId} source={shown.source} onClose={() => setShown(null)} />
      )}
    </div>
  )
}

function useColumns(knowledgeBaseId: string, onShow: (shown: Shown) => void): readonly Column<KnowledgeSource>[] {
  const t = useText()
  const formats = useFormats()
  return [
    { key: 'name', title: t('Source'), cell: (source) => <SourceName source={source} /> },
    {
      key: 'status',
      title: t('Status'),
      from: 'sm',
      width: 'w-36',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      key: 'passages',
      title: t('Passages'),
      from: 'sm',
      width: 'w-28',
      align: 'end',
      cell: (source) => <PassageCount source={source} onShow={() => onShow({ what: 'passages', source })} />,
    },
    {
      key: 'size',
      title: t('Size'),
      from: 'lg',
      width: 'w-28',
      align: 'end',
      cell: ({ size }) => (size === null ? <span className="text-muted">–</span> : formats.bytes(size)),
    },
    {
      key: 'read',
      title: t('Looked at'),
      from: 'md',
      width: 'w-36',
      cell: ({ refreshedAt }) => <Ago at={refreshedAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (source) => (
        <SourceMenu
          knowledgeBaseId={knowledgeBaseId}
          source={source}
          onShowPassages={() => onShow({ what: 'passages', source })}
          onDelete={() => onShow({ what: 'delete', source })}
        />
      ),
    },
  ]
}

/** Puts the state that is looked for into the address. */
function useStatusSearch(knowledgeBaseId: string): (status: BaseSearch['status']) => void {
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

function StatusFilter({
  knowledgeBaseId,
  status,
}: {
  readonly knowledgeBaseId: string
  readonly status: BaseSearch['status']
}) {
  const t = useText()
  const show = useStatusSearch(knowledgeBaseId)
  return (
    <SelectField
      className="w-full sm:w-56"
      label={t('Show')}
      value={status ?? ''}
      onChange={(chosen) => show(SOURCE_STATUSES.find((known) => known === chosen))}
      choices={[
        { value: '', label: t('All sources') },
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
  const show = useStatusSearch(knowledgeBaseId)
  if (isFiltered) {
    return (
      <Empty
        icon={FileSearch}
        title={t('No source in this state')}
        action={<Button onClick={() => show(undefined)}>{t('Show all sources')}</Button>}
      >
        {t('Other sources are there.')}
      </Empty>
    )
  }
  return (
    <Empty icon={FileSearch} title={t('No source yet')}>
      {t('Answers come from the documents that are added here.')}
    </Empty>
  )
}

function PassageCount({ source, onShow }: { readonly source: KnowledgeSource; readonly onShow: () => void }) {
  const t = useText()
  const formats = useFormats()
  const { chunkCount: count } = source
  if (count === 0) return <span className="text-muted">–</span>
  return (
    <button
      type="button"
      className="min-h-6 min-w-6 underline"
      aria-label={t('{count, plural, one {Show # passage} other {Show # passages}}', { count })}
      onClick={onShow}
    >
      {formats.number(count)}
    </button>
  )
}
