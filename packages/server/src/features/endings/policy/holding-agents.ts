import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import { AppError } from '../../../kernel/errors.ts'
import type { PinnedAgent } from '../../agents/public.ts'
import type { AgentWebhook } from '../../webhooks/public.ts'

/** An agent that held a conversation. */
export interface HoldingAgent {
  /** `null` when it was deleted since. */
  readonly agent: PinnedAgent | null
  /** Whether its analysis is made. */
  readonly isAnalysed: boolean
  /** Whether its webhook is told. */
  readonly isTold: boolean
}

/** What the hand-over to an agent and the one away from it say about it. */
export function rolesOf(
  to: SwapSettings | undefined,
  away: SwapSettings | undefined,
): Pick<HoldingAgent, 'isAnalysed' | 'isTold'> {
  return {
    isAnalysed: away?.analysis !== 'only_destination_agent',
    isTold: away?.webhooks !== 'only_destination_agent' && to?.webhooks !== 'only_source_agent',
  }
}

const NO_ADDRESS: AgentWebhook = { url: null, events: [], timeoutMs: 10_000 }

/** Whose webhooks are told of a conversation. A deleted agent has no address of its own any more. */
export function webhooksOf(agents: readonly HoldingAgent[]): readonly AgentWebhook[] {
  return agents.filter(({ isTold }) => isTold).map(({ agent }) => agent?.webhook ?? NO_ADDRESS)
}

/** The agent, or `null` when it was deleted since. */
export async function loadedOrNull(loading: Promise<PinnedAgent>): Promise<PinnedAgent | null> {
  try {
    return await loading
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
