import type { AgentSwapTool } from '@parley/contract/tools'
import type { AgentLoader, LoadedAgent, SwapSettings } from '../conversation.ts'
import { createResult, type ToolResult } from './tool-result.ts'

/** Tool result after a successful handover. */
export const HANDED_OVER = 'The conversation was handed over.'

/** A handover to another agent. */
export interface AgentSwap {
  readonly agent: LoadedAgent
  readonly settings: SwapSettings
}

/** Handover settings of a tool or node. */
export type SwapConfig = Pick<
  AgentSwapTool,
  'agent_id' | 'agent_version' | 'post_call_analysis_setting' | 'webhook_setting'
>

/** Loads the agent that takes over. If loading fails, `swap` is `null`, and the result explains why. */
export async function swapAgents(
  config: SwapConfig,
  agents: AgentLoader,
): Promise<{ readonly result: ToolResult; readonly swap: AgentSwap | null }> {
  const loadResult = await agents.load(config.agent_id, config.agent_version ?? null)
  if (!loadResult.ok) {
    return {
      result: createResult(`The conversation could not be handed over: ${loadResult.message}`, false),
      swap: null,
    }
  }
  const settings: SwapSettings = {
    analysis: config.post_call_analysis_setting ?? 'both_agents',
    webhooks: config.webhook_setting ?? 'both_agents',
  }
  return { result: createResult(HANDED_OVER, true), swap: { agent: loadResult.agent, settings } }
}
