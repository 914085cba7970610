import { usePages } from '../../lib/api/hooks.ts'
import { chatAgents } from '../../parts/agent/agent-api.ts'
import { AgentVersions, useAgentId } from '../../parts/agent/agent-versions.tsx'

export function ChatAgentVersionsScreen() {
  const agentId = useAgentId()
  return <AgentVersions api={chatAgents} versions={usePages('listChatAgentVersions', { path: { agentId } })} />
}
