import type { KnowledgeBaseSummary } from '@parley/contract/knowledge-base'
import { Link, useNavigate } from '@tanstack/react-router'
import { BookOpen, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NewBaseDialog } from '../../parts/knowledge/new-base-dialog.tsx'
import { isProcessing, PROGRESS_POLL_MS } from '../../parts/knowledge/source-facts.ts'
import { DeleteBaseDialog, StatusBadge } from './base-parts.tsx'

/** The knowledge bases of the workspace, newest first. */
export function KnowledgeBasesScreen() {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [isWatching, setIsWatching] = useState(false)
  const pages = usePages('listKnowledgeBases', {}, { refetchMs: isWatching ? PROGRESS_POLL_MS : false })
  const isBusy = pages.rows.some(({ status }) => isProcessing(status))
  if (isBusy !== isWatching) setIsWatching(isBusy)
  const [isCreating, setIsCreating] = useState(false)
  const [deleted, setDeleted] = useState<KnowledgeBaseSummary | null>(null)
  const canCreate = can('createKnowledgeBase')
  useHotkeys(canCreate ? { n: () => setIsCreating(true) } : {})

  const open = (knowledgeBaseId: string) =>
    void navigate({ to: '/$workspaceId/knowledge/$knowledgeBaseId', params: { workspaceId, knowledgeBaseId } })
  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New knowledge base')}
    </Button>
  )
  return (
    <Page
      title={t('Knowledge bases')}
      description={t('Documents that agents search before they answer.')}
      actions={canCreate && newButton}
    >
      <DataList
        label={t('Knowledge bases')}
        pages={pages}
        columns={useColumns(setDeleted)}
        rowKey={({ knowledgeBaseId }) => knowledgeBaseId}
        onOpen={({ knowledgeBaseId }) => open(knowledgeBaseId)}
        empty={
          <Empty icon={BookOpen} title={t('No knowledge bases yet')} action={canCreate && newButton}>
            {t('Create a knowledge base from texts, pages and files.')}
          </Empty>
        }
      />
      {isCreating && <NewBaseDialog onClose={() => setIsCreating(false)} onCreated={open} />}
      {deleted && <DeleteBaseDialog base={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

function useColumns(onDelete: (base: KnowledgeBaseSummary) => void): readonly Column<KnowledgeBaseSummary>[] {
  const t = useText()
  const formats = useFormats()
  return [
    { key: 'name', title: t('Name'), cell: (base) => <NameCell base={base} /> },
    { key: 'status', title: t('Status'), width: 'w-36', cell: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'sources',
      title: t('Sources'),
      from: 'sm',
      width: 'w-24',
      align: 'end',
      cell: ({ sourceCount }) => formats.number(sourceCount),
    },
    {
      key: 'passages',
      title: t('Passages'),
      from: 'md',
      width: 'w-28',
      align: 'end',
      cell: ({ chunkCount }) => formats.number(chunkCount),
    },
    {
      key: 'edited',
      title: t('Edited'),
      from: 'md',
      width: 'w-36',
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (base) => <BaseMenu base={base} onDelete={onDelete} />,
    },
  ]
}

function NameCell({ base: { knowledgeBaseId, name, description } }: { readonly base: KnowledgeBaseSummary }) {
  const workspaceId = useWorkspaceId()
  return (
    <>
      <Link
        to="/$workspaceId/knowledge/$knowledgeBaseId"
        params={{ workspaceId, knowledgeBaseId }}
        className="line-clamp-2 font-medium hover:underline"
      >
        {name}
      </Link>
      {description !== '' && (
        <span className="line-clamp-1 text-muted" dir="auto">
          {description}
        </span>
      )}
    </>
  )
}

function BaseMenu({
  base,
  onDelete,
}: {
  readonly base: KnowledgeBaseSummary
  readonly onDelete: (base: KnowledgeBaseSummary) => void
}) {
  const t = useText()
  const can = useCan()
  if (!can('deleteKnowledgeBase')) return null
  return (
    <Menu
      items={[{ label: t('Delete …'), icon: Trash2, kind: 'danger', onSelect: () => onDelete(base) }]}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: base.name })} />}
    />
  )
}
