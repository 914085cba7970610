import type { Agent } from '@parley/contract/agent'
import { useRead } from '../../lib/api/hooks.ts'

/** An agent whose newest version answers with a flow. */
export interface FlowUser {
  readonly kind: 'agent' | 'chat-agent'
  readonly id: string
  readonly name: string
}

/** One answer of a list must hold them all: half of the users would be a wrong answer. */
const MOST_AGENTS = 500

/** The agents by the flow that they answer with; null while that is not known, or where there are too many. */
export function useFlowUsers(): ReadonlyMap<string, readonly FlowUser[]> | null {
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
