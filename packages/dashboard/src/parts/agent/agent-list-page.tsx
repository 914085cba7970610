import { type LucideIcon, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, ProblemPanel } from '../../components/states.tsx'
import type { Pages } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import type { AgentUsage } from './agent-usage.ts'
import { useDuplicateAgent } from './agent-writes.ts'

export interface AgentListPageProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly pages: Pages<Value>
  readonly columns: readonly Column<Value>[]
  /** In the language of the page. */
  readonly words: {
    readonly title: string
    readonly description: string
    readonly create: string
    readonly emptyTitle: string
    readonly emptyText: string
  }
  readonly icon: LucideIcon
  readonly mayCreate: boolean
  readonly onOpen: (agentId: string) => void
  /** Asks for a new agent. */
  readonly dialog: (onClose: () => void) => ReactNode
  /** What the agents did, as far as columns tell it. */
  readonly usage: AgentUsage
}

/** A list of agents: `n` makes one, `d` duplicates that of the row. */
export function AgentListPage<Value extends AnyAgent>(props: AgentListPageProps<Value>) {
  const { api, pages, columns, words, icon, mayCreate, onOpen, dialog, usage } = props
  const [isCreating, setIsCreating] = useState(false)
  const duplicate = useDuplicateAgent(api)
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})
  const newButton = mayCreate && (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  )
  return (
    <Page title={words.title} description={words.description} actions={newButton}>
      {pages.error === null && usage.problem && (
        <ProblemPanel problem={usage.problem} onRetry={() => void usage.refetch()} />
      )}
      <DataList
        label={words.title}
        // What keeps the list from being read mostly keeps the figures from it too.
        pages={{ ...pages, refetch: () => Promise.all([pages.refetch(), usage.refetch()]) }}
        columns={columns}
        rowKey={({ agent_id: agentId }) => agentId}
        onOpen={({ agent_id: agentId }) => onOpen(agentId)}
        rowKeys={mayCreate ? { d: ({ agent_id: agentId }) => duplicate(agentId) } : {}}
        empty={
          <Empty icon={icon} title={words.emptyTitle} action={newButton}>
            {words.emptyText}
          </Empty>
        }
      />
      {isCreating && dialog(() => setIsCreating(false))}
    </Page>
  )
}
