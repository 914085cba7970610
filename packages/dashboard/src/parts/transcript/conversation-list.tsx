import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { ButtonLink } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { EmptyState } from '../../components/states.tsx'
import type { OperationName } from '../../lib/api/request.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AgentCell, formatLatency, OutcomeBadge, type Sentiment, SentimentBadge } from './conversation-cells.tsx'

/** Row fields that the call and chat lists share. */
interface ConversationSummary {
  readonly agentName: string
  readonly agentVersion: number
  readonly successful: boolean | null
  readonly sentiment: Sentiment | null
  readonly latencyMs: number | null
  readonly cost: number | null
}

type ConversationColumn = 'agent' | 'outcome' | 'sentiment' | 'latency' | 'cost'

/** Returns the columns that the call and chat lists share. */
export function useConversationColumns<Row>(
  getSummary: (row: Row) => ConversationSummary,
): Readonly<Record<ConversationColumn, Column<Row>>> {
  const t = useText()
  const format = useFormatter()
  return {
    agent: {
      key: 'agent',
      title: t('Agent'),
      visibleFrom: 'md',
      width: 'xl:w-40',
      cell(row) {
        const { agentName, agentVersion } = getSummary(row)
        return <AgentCell name={agentName} version={agentVersion} />
      },
    },
    outcome: {
      key: 'outcome',
      title: t('Outcome'),
      visibleFrom: 'lg',
      width: 'w-30',
      cell: (row) => <OutcomeBadge successful={getSummary(row).successful} />,
    },
    sentiment: {
      key: 'sentiment',
      title: t('Sentiment'),
      visibleFrom: '2xl',
      width: 'w-24',
      cell: (row) => <SentimentBadge sentiment={getSummary(row).sentiment} />,
    },
    latency: {
      key: 'latency',
      title: t('Latency'),
      visibleFrom: 'xl',
      width: 'w-24',
      align: 'end',
      cell: (row) => formatLatency(format, getSummary(row).latencyMs),
    },
    cost: {
      key: 'cost',
      title: t('Cost'),
      visibleFrom: 'sm',
      width: 'w-24',
      align: 'end',
      cell(row) {
        const { cost } = getSummary(row)
        return cost === null ? '–' : format.dollars(cost)
      },
    },
  }
}

interface NoConversationsProps {
  readonly icon: LucideIcon
  readonly title: string
  /** Operation that starts a conversation. Hides the link from users without permission. */
  readonly operation: OperationName
  readonly children: ReactNode
}

/** Renders an empty state with a link to the agents, where users can start a conversation. */
export function NoConversations({ icon, title, operation, children }: NoConversationsProps) {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const link = (
    <ButtonLink kind="primary" to="/$workspaceId/agents" params={{ workspaceId }}>
      {t('Go to agents')}
    </ButtonLink>
  )
  return (
    <EmptyState icon={icon} title={title} action={can(operation) && link}>
      {children}
    </EmptyState>
  )
}
