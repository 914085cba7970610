import { usePages } from '../../lib/api/hooks.ts'
import { voiceAgents } from '../../parts/agent/agent-api.ts'
import { AgentVersions, useAgentId } from '../../parts/agent/agent-versions.tsx'

export function AgentVersionsScreen() {
  const agentId = useAgentId()
  return <AgentVersions api={voiceAgents} versions={usePages('listAgentVersions', { path: { agentId } })} />
}
