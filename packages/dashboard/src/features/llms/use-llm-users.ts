import { useMemo } from 'react'
import { useRead } from '../../lib/api/hooks.ts'
import type { ValueOf } from '../../lib/api/request.ts'

/** An agent whose newest version answers with an LLM configuration. */
export interface LlmUser {
  readonly kind: 'agent' | 'chat-agent'
  readonly id: string
  readonly name: string
}

/** One answer of a list must hold them all: half of the users would be a wrong answer. */
const MOST_AGENTS = 1_000

type AgentRow = Pick<ValueOf<'listAgents'>[number], 'agent_id' | 'agent_name' | 'response_engine'>

/** The agents by the configuration that they answer with; null while that is not known, or where there are too many. */
export function useLlmUsers(): ReadonlyMap<string, readonly LlmUser[]> | null {
  const agents = useRead('listAgents', { query: { limit: MOST_AGENTS } }).data
  const chatAgents = useRead('listChatAgents', { query: { limit: MOST_AGENTS } }).data
  return useMemo(() => {
    if (agents === undefined || chatAgents === undefined) return null
    if (agents.length === MOST_AGENTS || chatAgents.length === MOST_AGENTS) return null
    return usersByLlm([...usersOf('agent', agents), ...usersOf('chat-agent', chatAgents)])
  }, [agents, chatAgents])
}

type UserOfLlm = LlmUser & { readonly llmId: string }

function usersOf(kind: LlmUser['kind'], rows: readonly AgentRow[]): UserOfLlm[] {
  return rows.flatMap(({ agent_id: id, agent_name: name, response_engine: engine }) =>
    'llm_id' in engine ? [{ kind, id, name, llmId: engine.llm_id }] : [],
  )
}

function usersByLlm(users: readonly UserOfLlm[]): ReadonlyMap<string, readonly LlmUser[]> {
  return Map.groupBy(users, ({ llmId }) => llmId)
}
