import type { Agent } from '@parley/contract/agent'
import type { ConversationFlowItem } from '@parley/contract/conversation-flow'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Download, Ellipsis, FileUp, Plus, Trash2, Workflow } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DeleteFlowDialog } from './delete-flow-dialog.tsx'
import { useFlowCopies } from './flow-copies.ts'
import { nameOfFlow } from './flow-document.ts'
import { ImportFlowDialog } from './import-flow-dialog.tsx'
import { NewFlowDialog } from './new-flow-dialog.tsx'

type Asked = { readonly kind: 'new' | 'import' } | { readonly kind: 'delete'; readonly flow: ConversationFlowItem }

/** All conversation flows of the workspace, newest first. */
export function FlowsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listConversationFlows', {})
  const [asked, setAsked] = useState<Asked | null>(null)
  const mayCreate = may('createConversationFlow')
  useHotkeys(mayCreate ? { n: () => setAsked({ kind: 'new' }) } : {})
  const close = (): void => setAsked(null)

  const actions = mayCreate && (
    <>
      <Button icon={FileUp} onClick={() => setAsked({ kind: 'import' })}>
        {t('Import')}
      </Button>
      <Button kind="primary" icon={Plus} onClick={() => setAsked({ kind: 'new' })}>
        {t('New flow')}
      </Button>
    </>
  )
  return (
    <Page
      title={t('Conversation flows')}
      description={t('Conversations as a graph: what is said at each step, and where it goes from there.')}
      actions={actions}
    >
      <DataList
        label={t('Conversation flows')}
        pages={pages}
        columns={useColumns((flow) => setAsked({ kind: 'delete', flow }))}
        rowKey={({ conversation_flow_id: flowId }) => flowId}
        onOpen={({ conversation_flow_id: flowId }) =>
          void navigate({ to: '/$workspaceId/flows/$flowId', params: { workspaceId, flowId } })
        }
        empty={
          <Empty
            icon={Workflow}
            title={t('No flow yet')}
            action={mayCreate && <div className="flex flex-wrap justify-center gap-2">{actions}</div>}
          >
            {t('A flow leads a conversation step by step. Begin with a template, or import one.')}
          </Empty>
        }
      />
      {asked?.kind === 'new' && <NewFlowDialog onClose={close} />}
      {asked?.kind === 'import' && <ImportFlowDialog onClose={close} />}
      {asked?.kind === 'delete' && (
        <DeleteFlowDialog flowId={asked.flow.conversation_flow_id} name={nameOfFlow(asked.flow)} onClose={close} />
      )}
    </Page>
  )
}

function useColumns(onDelete: (flow: ConversationFlowItem) => void): readonly Column<ConversationFlowItem>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const users = useFlowUsers()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: (flow) => (
        <Link
          to="/$workspaceId/flows/$flowId"
          params={{ workspaceId, flowId: flow.conversation_flow_id }}
          className="line-clamp-2 font-medium break-words hover:underline"
          dir="auto"
        >
          {nameOfFlow(flow)}
        </Link>
      ),
    },
    ...(users === null
      ? []
      : [
          {
            key: 'users',
            title: t('Used by (newest versions)'),
            from: 'md' as const,
            width: 'w-[30%]',
            cell: ({ conversation_flow_id: flowId }: ConversationFlowItem) => <Users users={users.get(flowId) ?? []} />,
          },
        ]),
    {
      key: 'speaker',
      title: t('Speaks first'),
      from: 'sm',
      width: 'w-32',
      cell: ({ start_speaker: speaker }) => (speaker === 'user' ? t('The user') : t('The agent')),
    },
    { key: 'version', title: t('Version'), width: 'w-24', align: 'end', cell: ({ version }) => version },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (flow) => <FlowMenu flow={flow} onDelete={onDelete} />,
    },
  ]
}

function Users({ users }: { readonly users: readonly FlowUser[] }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const [first] = users
  if (first === undefined) return <span className="text-muted">–</span>
  return (
    <span className="line-clamp-2 break-words">
      <Link
        to={first.kind === 'agent' ? '/$workspaceId/agents/$agentId' : '/$workspaceId/chat-agents/$agentId'}
        params={{ workspaceId, agentId: first.id }}
        className="hover:underline"
        dir="auto"
      >
        {first.name === '' ? first.id : first.name}
      </Link>
      {users.length > 1 && (
        <span className="text-muted">
          {' '}
          {t('and {count, plural, one {# more} other {# more}}', { count: users.length - 1 })}
        </span>
      )}
    </span>
  )
}

interface FlowMenuProps {
  readonly flow: ConversationFlowItem
  readonly onDelete: (flow: ConversationFlowItem) => void
}

function FlowMenu({ flow, onDelete }: FlowMenuProps) {
  const t = useText()
  const may = useMay()
  const copies = useFlowCopies()
  const { conversation_flow_id: flowId } = flow
  const items: readonly MenuItem[] = [
    { label: t('Export as a file'), icon: Download, onSelect: () => void copies.exportFile(flowId) },
    ...(may('createConversationFlow')
      ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void copies.duplicate(flowId) }]
      : []),
    ...(may('deleteConversationFlow')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onDelete(flow) }]
      : []),
  ]
  return (
    <Menu
      items={items}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: nameOfFlow(flow) })} />}
    />
  )
}

/** An agent whose newest version answers with a flow. */
interface FlowUser {
  readonly kind: 'agent' | 'chat-agent'
  readonly id: string
  readonly name: string
}

/** One answer of a list must hold them all: half of the users would be a wrong answer. */
const MOST_AGENTS = 500

/** The agents by the flow that they answer with; null while that is not known, or where there are too many. */
function useFlowUsers(): ReadonlyMap<string, readonly FlowUser[]> | null {
  const agents = useRead('listAgents', { query: { limit: MOST_AGENTS } }).data
  const chatAgents = useRead('listChatAgents', { query: { limit: MOST_AGENTS } }).data
  if (agents === undefined || chatAgents === undefined) return null
  if (agents.length === MOST_AGENTS || chatAgents.length === MOST_AGENTS) return null
  const users = new Map<string, FlowUser[]>()
  const add = (kind: FlowUser['kind'], rows: readonly AgentRow[]): void => {
    for (const { agent_id: id, agent_name: name, response_engine: engine } of rows) {
      const flowId = 'conversation_flow_id' in engine ? engine.conversation_flow_id : null
      if (flowId !== null) users.set(flowId, [...(users.get(flowId) ?? []), { kind, id, name }])
    }
  }
  add('agent', agents)
  add('chat-agent', chatAgents)
  return users
}

type AgentRow = Pick<Agent, 'agent_id' | 'agent_name' | 'response_engine'>
