import type { Tool } from '@parley/contract/tools'
import type { TransferOption } from '@parley/contract/transfer-tool'

/**
 * The tools of an engine once an agent is gone: no swap to it, and a transfer that it would have spoken for waits for a person
 * instead. Answers the very list when none names the agent.
 */
export function withoutAgent(tools: readonly Tool[], agentId: string): readonly Tool[] {
  if (!tools.some((tool) => names(tool, agentId))) return tools
  return tools.flatMap((tool) => {
    if (!names(tool, agentId)) return [tool]
    return tool.type === 'transfer_call' ? [{ ...tool, transfer_option: toWarm(tool.transfer_option) }] : []
  })
}

function names(tool: Tool, agentId: string): boolean {
  if (tool.type === 'agent_swap') return tool.agent_id === agentId
  if (tool.type !== 'transfer_call' || tool.transfer_option.type !== 'agentic_warm_transfer') return false
  return tool.transfer_option.agentic_transfer_config.transfer_agent.agent_id === agentId
}

/** An agentic transfer cannot be without its agent, but everything else that was set means the same in a warm one. */
function toWarm(option: TransferOption): TransferOption {
  if (option.type !== 'agentic_warm_transfer') return option
  const { agentic_transfer_config: _gone, ...remainingOption } = option
  return { ...remainingOption, type: 'warm_transfer' }
}
