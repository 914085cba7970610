import type { KnowledgeBaseSummary } from '@parley/contract/knowledge-base'
import { useNavigate } from '@tanstack/react-router'
import { BookOpen, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Column } from '../../components/data-list.tsx'
import { ListScreen, RowLink, useRowActions } from '../../components/list-screen.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NewBaseDialog } from '../../parts/knowledge/new-base-dialog.tsx'
import { isProcessing, PROGRESS_POLL_MS } from '../../parts/knowledge/source-info.ts'
import { DeleteBaseDialog, StatusBadge } from './base-parts.tsx'

/** Lists the knowledge bases of the workspace, latest first. */
export function KnowledgeBasesScreen() {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [isPolling, setIsPolling] = useState(false)
  const pages = usePages('listKnowledgeBases', {}, { refetchMs: isPolling ? PROGRESS_POLL_MS : false })
  const hasProcessingBase = pages.rows.some(({ status }) => isProcessing(status))
  if (hasProcessingBase !== isPolling) setIsPolling(hasProcessingBase)
  const openBase = (knowledgeBaseId: string): void =>
    void navigate({ to: '/$workspaceId/knowledge/$knowledgeBaseId', params: { workspaceId, knowledgeBaseId } })
  const rowActions = useRowActions<KnowledgeBaseSummary>(
    ({ name }) => name,
    [
      {
        label: t('Delete…'),
        icon: Trash2,
        kind: 'danger',
        operation: 'deleteKnowledgeBase',
        dialog: (base, onClose) => <DeleteBaseDialog base={base} onClose={onClose} />,
      },
    ],
  )
  return (
    <ListScreen
      title={t('Knowledge bases')}
      description={t('Documents that agents search before they answer.')}
      createAction={{
        label: t('New knowledge base'),
        isAllowed: can('createKnowledgeBase'),
        dialog: (onClose) => <NewBaseDialog onClose={onClose} onCreated={openBase} />,
      }}
      pages={pages}
      columns={useColumns()}
      rowActions={rowActions}
      getRowKey={({ knowledgeBaseId }) => knowledgeBaseId}
      onOpen={({ knowledgeBaseId }) => openBase(knowledgeBaseId)}
      emptyState={{
        icon: BookOpen,
        title: t('No knowledge bases yet'),
        children: t('Create a knowledge base from text, web pages and files.'),
      }}
    />
  )
}

function useColumns(): readonly Column<KnowledgeBaseSummary>[] {
  const t = useText()
  const format = useFormatter()
  return [
    { key: 'name', title: t('Name'), cell: (base) => <NameCell base={base} /> },
    { key: 'status', title: t('Status'), width: 'w-36', cell: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'sources',
      title: t('Sources'),
      visibleFrom: 'sm',
      width: 'w-24',
      align: 'end',
      cell: ({ sourceCount }) => format.number(sourceCount),
    },
    {
      key: 'passages',
      title: t('Passages'),
      visibleFrom: 'md',
      width: 'w-28',
      align: 'end',
      cell: ({ chunkCount }) => format.number(chunkCount),
    },
    buildTimeColumn(t('Edited'), ({ updatedAt }) => updatedAt),
  ]
}

function NameCell({ base: { knowledgeBaseId, name, description } }: { readonly base: KnowledgeBaseSummary }) {
  const workspaceId = useWorkspaceId()
  return (
    <>
      <RowLink to="/$workspaceId/knowledge/$knowledgeBaseId" params={{ workspaceId, knowledgeBaseId }}>
        {name}
      </RowLink>
      {description !== '' && (
        <span className="line-clamp-1 text-muted" dir="auto">
          {description}
        </span>
      )}
    </>
  )
}
