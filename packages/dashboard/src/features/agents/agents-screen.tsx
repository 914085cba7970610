import type { Agent } from '@parley/contract/agent'
import { Link, useNavigate } from '@tanstack/react-router'
import { Bot, Copy, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Ago } from '../../components/moment.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DeleteAgentDialog } from './delete-agent-dialog.tsx'
import { useDuplicateAgent } from './duplicate-agent.ts'
import { NewAgentDialog } from './new-agent-dialog.tsx'

/** All agents of the workspace, newest first. */
export function AgentsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listAgents', {})
  const [isCreating, setIsCreating] = useState(false)
  const [deleted, setDeleted] = useState<Agent | null>(null)
  const mayCreate = may('createAgent')
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})

  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New agent')}
    </Button>
  )
  return (
    <Page
      title={t('Agents')}
      description={t('Who answers calls: a voice, what it knows and how it behaves.')}
      actions={mayCreate && newButton}
    >
      <DataList
        label={t('Agents')}
        pages={pages}
        columns={useColumns(setDeleted)}
        rowKey={({ agent_id: agentId }) => agentId}
        onOpen={({ agent_id: agentId }) =>
          void navigate({ to: '/$workspaceId/agents/$agentId', params: { workspaceId, agentId } })
        }
        empty={
          <Empty icon={Bot} title={t('No agent yet')} action={mayCreate && newButton}>
            {t('An agent answers calls and chats. Make one, and talk with it a minute later.')}
          </Empty>
        }
      />
      {isCreating && <NewAgentDialog onClose={() => setIsCreating(false)} />}
      {deleted && <DeleteAgentDialog agent={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

function useColumns(onDelete: (agent: Agent) => void): readonly Column<Agent>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ agent_id: agentId, agent_name: name }) => (
        <Link
          to="/$workspaceId/agents/$agentId"
          params={{ workspaceId, agentId }}
          className="line-clamp-2 font-medium hover:underline"
        >
          {name === '' ? t('Without a name') : name}
        </Link>
      ),
    },
    {
      key: 'voice',
      title: t('Voice'),
      from: 'md',
      width: 'w-40',
      cell: ({ voice_id: voiceId }) => <span className="block truncate">{voiceId}</span>,
    },
    { key: 'language', title: t('Language'), from: 'lg', width: 'w-28', cell: ({ language }) => language },
    {
      key: 'version',
      title: t('Version'),
      from: 'sm',
      width: 'w-36',
      cell: ({ version, is_published: isPublished }) => (
        <span className="flex items-center gap-2">
          {version}
          {isPublished ? <Badge tone="good">{t('Published')}</Badge> : <Badge>{t('Draft')}</Badge>}
        </span>
      ),
    },
    { key: 'edited', title: t('Edited'), from: 'md', width: 'w-36', cell: ({ updated_at: at }) => <Ago at={at} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (agent) => <AgentMenu agent={agent} onDelete={onDelete} />,
    },
  ]
}

function AgentMenu({ agent, onDelete }: { readonly agent: Agent; readonly onDelete: (agent: Agent) => void }) {
  const t = useText()
  const may = useMay()
  const duplicate = useDuplicateAgent()
  const items: readonly MenuItem[] = [
    ...(may('createAgent') ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => duplicate(agent) }] : []),
    ...(may('deleteAgent')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onDelete(agent) }]
      : []),
  ]
  if (items.length === 0) return null
  return (
    <Menu
      items={items}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: agent.agent_name })} />}
    />
  )
}
