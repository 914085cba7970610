import type { Llm } from '@parley/contract/llm'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Problem } from '../../lib/api/problem.ts'
import type { Answer } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import { readLlm } from './save-agent.ts'

/** Reads a version of an agent with its tag. */
export function useAgent<Value extends AnyAgent>(
  api: AgentApi<Value>,
  agentId: string,
  version: 'latest' | 'active' = 'latest',
): UseQueryResult<Answer<Value>, Problem> {
  const workspaceId = useWorkspaceId()
  return useQuery<Answer<Value>, Problem>({
    queryKey: [api.operations.read, workspaceId, agentId, version],
    queryFn: ({ signal }) => api.read({ workspaceId, agentId }, version, signal),
  })
}

/** Reads the newest version of an LLM configuration with its tag; nothing where there is none. */
export function useNewestLlm(llmId: string | null): UseQueryResult<Answer<Llm>, Problem> {
  const workspaceId = useWorkspaceId()
  return useQuery<Answer<Llm>, Problem>({
    queryKey: ['getLlm', workspaceId, llmId, 'latest'],
    queryFn: ({ signal }) => readLlm({ workspaceId, llmId: llmId ?? '' }, signal),
    enabled: llmId !== null,
  })
}
