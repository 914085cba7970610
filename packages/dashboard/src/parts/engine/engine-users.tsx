import type { Agent } from '@parley/contract/agent'
import { Link } from '@tanstack/react-router'
import { Fragment, useMemo } from 'react'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** An agent whose newest version answers with a prompt or a flow. */
export interface EngineUser {
  readonly kind: 'agent' | 'chat-agent'
  readonly id: string
  readonly name: string
  readonly engineId: string
  /** The version it answers with; null for the newest. */
  readonly engineVersion: number | null
  /** It moves to the newest version of the prompt or flow with the next edit. */
  readonly follows: boolean
  /** Callers reach this version of the agent. */
  readonly isLive: boolean
  /** A saved edit of the prompt or flow reaches callers at once. */
  readonly isLiveOnSave: boolean
}

type AgentRow = Pick<
  Agent,
  'agent_id' | 'agent_name' | 'response_engine' | 'is_active' | 'is_published' | 'is_frozen' | 'version'
>

/** Whether a saved edit reaches callers at once: nothing is published, so the newest version is live. */
export const isLiveOnSave = ({
  is_active: isActive,
  is_published: isPublished,
}: Pick<AgentRow, 'is_active' | 'is_published'>): boolean => isActive && !isPublished

function toUser(kind: EngineUser['kind'], agent: AgentRow): EngineUser[] {
  const { agent_id: id, agent_name: name, response_engine: engine, is_active: isLive, is_frozen: isFrozen } = agent
  const engineId =
    'llm_id' in engine ? engine.llm_id : 'conversation_flow_id' in engine ? engine.conversation_flow_id : null
  if (engineId === null) return []
  // A frozen version only records which version it used; its next version follows the newest again.
  const follows = engine.version === null || isFrozen
  return [
    {
      kind,
      id,
      name,
      engineId,
      engineVersion: engine.version,
      follows,
      isLive,
      isLiveOnSave: follows && isLiveOnSave(agent),
    },
  ]
}

/** One page must hold all agents: a partial list of users would be wrong. */
const MAX_AGENTS = 1_000

/** Agents by the id of the prompt or flow they answer with; null until known, and for workspaces with too many agents. */
export function useEngineUsers(): ReadonlyMap<string, readonly EngineUser[]> | null {
  const agents = useRead('listAgents', { query: { limit: MAX_AGENTS } }).data
  const chatAgents = useRead('listChatAgents', { query: { limit: MAX_AGENTS } }).data
  return useMemo(() => {
    if (agents === undefined || chatAgents === undefined) return null
    if (agents.length === MAX_AGENTS || chatAgents.length === MAX_AGENTS) return null
    const users = [
      ...agents.flatMap((agent) => toUser('agent', agent)),
      ...chatAgents.flatMap((agent) => toUser('chat-agent', agent)),
    ]
    return Map.groupBy(users, ({ engineId }) => engineId)
  }, [agents, chatAgents])
}

/** Versions of a prompt or flow that live agents answer with. */
export function liveVersions(users: readonly EngineUser[], newestVersion: number): ReadonlySet<number> {
  return new Set(users.filter(({ isLive }) => isLive).map(({ engineVersion }) => engineVersion ?? newestVersion))
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

/** Links to agents, separated by commas; a count for those beyond `max`. */
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
