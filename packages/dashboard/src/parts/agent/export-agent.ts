import { complain } from '../../components/toasts.tsx'
import { Problem } from '../../lib/api/problem.ts'
import { request } from '../../lib/api/request.ts'
import { keepFile } from '../../lib/keep-file.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { agentFileName, printAgentFile } from './agent-file.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import { llmIdOf } from './engine.ts'

/** Downloads an agent with what it answers with, as the server has them. */
export function useExportAgent<Value extends AnyAgent>(api: AgentApi<Value>): (agentId: string) => Promise<void> {
  const workspaceId = useWorkspaceId()
  return async (agentId) => {
    try {
      const { value: agent } = await api.read({ workspaceId, agentId }, 'latest')
      const llmId = llmIdOf(agent.response_engine)
      const version = String(agent.response_engine.version ?? 'latest')
      const llm = llmId === null ? null : await request('getLlm', { path: { llmId }, query: { workspaceId, version } })
      keepFile(agentFileName(agent), printAgentFile(api.kind, { agent, llm: llm?.value ?? null }), 'application/json')
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      complain(error.message)
    }
  }
}
