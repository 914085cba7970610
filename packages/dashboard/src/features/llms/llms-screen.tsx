import type { LlmSummary } from '@parley/contract/llm'
import { Link, useNavigate } from '@tanstack/react-router'
import { Braces, Copy, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DeleteLlmDialog } from './delete-llm-dialog.tsx'
import { useDuplicateLlm } from './duplicate-llm.ts'
import { NewLlmDialog } from './new-llm-dialog.tsx'
import { type LlmUser, useLlmUsers } from './use-llm-users.ts'
import { UserLink } from './user-links.tsx'

/** All LLM configurations of the workspace, newest first. */
export function LlmsScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const mayCreate = useMay()('createLlm')
  const [isCreating, setIsCreating] = useState(false)
  const [deleted, setDeleted] = useState<LlmSummary | null>(null)
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})

  const newButton = mayCreate && (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New LLM configuration')}
    </Button>
  )
  return (
    <Page
      title={t('LLM configurations')}
      description={t('What agents answer from: a prompt, a model and tools. Several agents can share one.')}
      actions={newButton}
    >
      <DataList
        label={t('LLM configurations')}
        pages={usePages('listLlms', {})}
        columns={useColumns(setDeleted)}
        rowKey={({ llm_id: llmId }) => llmId}
        onOpen={({ llm_id: llmId }) =>
          void navigate({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId } })
        }
        empty={
          <Empty icon={Braces} title={t('No LLM configuration yet')} action={newButton}>
            {t('A configuration holds the prompt, the model and the tools that agents answer with.')}
          </Empty>
        }
      />
      {isCreating && <NewLlmDialog onClose={() => setIsCreating(false)} />}
      {deleted && (
        <DeleteLlmDialog llmId={deleted.llm_id} name={deleted.display_name} onClose={() => setDeleted(null)} />
      )}
    </Page>
  )
}

function useColumns(onDelete: (llm: LlmSummary) => void): readonly Column<LlmSummary>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const users = useLlmUsers()
  const usedBy: Column<LlmSummary> = {
    key: 'users',
    title: t('Used by (newest versions)'),
    from: 'md',
    width: 'w-72',
    cell: ({ llm_id: llmId }) => <Users users={users?.get(llmId) ?? []} />,
  }
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ llm_id: llmId, display_name: name }) => (
        <Link
          to="/$workspaceId/llms/$llmId"
          params={{ workspaceId, llmId }}
          className="line-clamp-2 font-medium hover:underline"
        >
          {name.trim() === '' ? llmId : name}
        </Link>
      ),
    },
    ...(users === null ? [] : [usedBy]),
    { key: 'version', title: t('Version'), from: 'sm', width: 'w-24', align: 'end', cell: ({ version }) => version },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (llm) => <LlmMenu llm={llm} onDelete={onDelete} />,
    },
  ]
}

/** More names than this do not fit. */
const MOST_NAMED = 2

function Users({ users }: { readonly users: readonly LlmUser[] }) {
  const t = useText()
  if (users.length === 0) return <span className="text-muted">{t('Nobody')}</span>
  return (
    <span className="line-clamp-2">
      {users.slice(0, MOST_NAMED).map((user, index) => (
        <span key={user.id}>
          {index > 0 && ', '}
          <UserLink user={user} />
        </span>
      ))}
      {users.length > MOST_NAMED && ` ${t('and {count} more', { count: users.length - MOST_NAMED })}`}
    </span>
  )
}

interface LlmMenuProps {
  readonly llm: LlmSummary
  readonly onDelete: (llm: LlmSummary) => void
}

function LlmMenu({ llm, onDelete }: LlmMenuProps) {
  const t = useText()
  const may = useMay()
  const duplicate = useDuplicateLlm()
  const items: readonly MenuItem[] = [
    ...(may('createLlm') ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void duplicate(llm.llm_id) }] : []),
    ...(may('deleteLlm')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onDelete(llm) }]
      : []),
  ]
  if (items.length === 0) return null
  const name = llm.display_name.trim() === '' ? llm.llm_id : llm.display_name
  return <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name })} />} />
}
