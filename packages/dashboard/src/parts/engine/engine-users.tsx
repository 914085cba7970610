import type { Agent } from '@parley/contract/agent'
import { Link } from '@tanstack/react-router'
import { Fragment, useMemo } from 'react'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** An agent that uses a prompt or flow in its latest version. */
export interface EngineUser {
  readonly kind: 'agent' | 'chat-agent'
  readonly id: string
  readonly name: string
  readonly engineId: string
  /** The prompt or flow version that the agent uses; null for the latest. */
  readonly engineVersion: number | null
  /** Whether the agent's next edit uses the latest version of the prompt or flow. */
  readonly followsLatest: boolean
  /** Whether callers reach this agent version. */
  readonly isLive: boolean
  /** Whether saved edits to the prompt or flow reach callers immediately. */
  readonly isLiveOnSave: boolean
}

type AgentRow = Pick<
  Agent,
  'agent_id' | 'agent_name' | 'response_engine' | 'is_active' | 'is_published' | 'is_frozen' | 'version'
>

/** Whether saved edits reach callers immediately, because no version is published and the latest is live. */
export const isLiveOnSave = ({
  is_active: isActive,
  is_published: isPublished,
}: Pick<AgentRow, 'is_active' | 'is_published'>): boolean => isActive && !isPublished

function toEngineUsers(kind: EngineUser['kind'], agent: AgentRow): EngineUser[] {
  const { agent_id: id, agent_name: name, response_engine: engine, is_active: isLive, is_frozen: isFrozen } = agent
  const engineId =
    'llm_id' in engine ? engine.llm_id : 'conversation_flow_id' in engine ? engine.conversation_flow_id : null
  if (engineId === null) return []
  // The engine version of a frozen agent version is only a record. The agent's next version uses the latest engine version.
  const followsLatest = engine.version === null || isFrozen
  return [
    {
      kind,
      id,
      name,
      engineId,
      engineVersion: engine.version,
      followsLatest,
      isLive,
      isLiveOnSave: followsLatest && isLiveOnSave(agent),
    },
  ]
}

/** Only one page is loaded. Workspaces with more agents show no users, because the list would be incomplete. */
const MAX_AGENTS = 1_000

/** Groups agents by prompt or flow ID. Returns null while loading and for workspaces with too many agents. */
export function useEngineUsers(): ReadonlyMap<string, readonly EngineUser[]> | null {
  const agents = useRead('listAgents', { query: { limit: MAX_AGENTS } }).data
  const chatAgents = useRead('listChatAgents', { query: { limit: MAX_AGENTS } }).data
  return useMemo(() => {
    if (agents === undefined || chatAgents === undefined) return null
    if (agents.length === MAX_AGENTS || chatAgents.length === MAX_AGENTS) return null
    const users = [
      ...agents.flatMap((agent) => toEngineUsers('agent', agent)),
      ...chatAgents.flatMap((agent) => toEngineUsers('chat-agent', agent)),
    ]
    return Map.groupBy(users, ({ engineId }) => engineId)
  }, [agents, chatAgents])
}

/** Lists the versions of a prompt or flow that live agents use. */
export function listLiveVersions(users: readonly EngineUser[], latestVersion: number): ReadonlySet<number> {
  return new Set(users.filter(({ isLive }) => isLive).map(({ engineVersion }) => engineVersion ?? latestVersion))
}

export function UserLink({ user: { kind, id, name } }: { readonly user: Pick<EngineUser, 'kind' | 'id' | 'name'> }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to={kind === 'agent' ? '/$workspaceId/agents/$agentId' : '/$workspaceId/chat-agents/$agentId'}
      params={{ workspaceId, agentId: id }}
      className="wrap-anywhere underline"
    >
      <bdi>{name === '' ? t('Unnamed') : name}</bdi>
    </Link>
  )
}

/** Renders links to agents, separated by commas. Agents beyond `max` are only counted. */
export function UserLinks({ users, max }: { readonly users: readonly EngineUser[]; readonly max: number }) {
  const t = useText()
  return (
    <>
      {users.slice(0, max).map((user, index) => (
        <Fragment key={user.id}>
          {index > 0 && ', '}
          <UserLink user={user} />
        </Fragment>
      ))}
      {users.length > max && ` ${t('and {count} more', { count: users.length - max })}`}
    </>
  )
}
