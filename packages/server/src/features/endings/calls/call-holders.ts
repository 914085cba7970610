import type { AgentOnPath, CallRow } from '../../../tables/call-tables.ts'
import type { AgentUse } from '../../agents/public.ts'
import { type HoldingAgent, loadedOrNull, rolesOf } from '../policy/holding-agents.ts'

/** What names the agents of a call. */
export type CallPath = Pick<
  CallRow,
  'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path'
>

/** The agents that held a call, in the order in which they came to it first. */
export async function loadCallAgents(
  agents: Pick<AgentUse, 'load' | 'preview'>,
  call: CallPath,
): Promise<readonly HoldingAgent[]> {
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = call
  const { engine_id: engineId, engine_version: engineVersion } = call
  const holders = holdersOf(JSON.parse(call.agent_path) as AgentOnPath[])
  const first = agents.load({ workspaceId, agentId, agentVersion, engineId, engineVersion })
  // A version that was handed over to is frozen with the version of its engine.
  const others = holders
    .slice(1)
    .map((one) => agents.preview({ workspaceId, agentId: one.agentId, version: one.agentVersion }))
  const loaded = await Promise.all([first, ...others].map(loadedOrNull))
  return loaded.map((agent, index) => {
    const { isAnalysed, isTold } = holders[index] ?? rolesOf(undefined, undefined)
    return { agent, isAnalysed, isTold }
  })
}

type Holder = Pick<AgentOnPath, 'agentId' | 'agentVersion'> & Pick<HoldingAgent, 'isAnalysed' | 'isTold'>

/** Each agent once; whoever held the call several times is analysed and told when one of these times says so. */
function holdersOf(path: readonly AgentOnPath[]): readonly Holder[] {
  const holders = new Map<string, Holder>()
  for (const [index, { agentId, agentVersion, handOver }] of path.entries()) {
    const roles = rolesOf(handOver, path[index + 1]?.handOver)
    const key = `${agentId} ${agentVersion}`
    const known = holders.get(key)
    const isAnalysed = roles.isAnalysed || known?.isAnalysed === true
    holders.set(key, { agentId, agentVersion, isAnalysed, isTold: roles.isTold || known?.isTold === true })
  }
  return [...holders.values()]
}
