import type { SwapSettings } from '@parley/engine/dialogue/conversation'
import { AppError } from '../../../kernel/errors.ts'
import type { PinnedAgent } from '../../agents/public.ts'
import type { AgentWebhook } from '../../webhooks/public.ts'

/** An agent that held a conversation. */
export interface ConversationAgent {
  /** `null` when it was deleted since. */
  readonly agent: PinnedAgent | null
  /** Whether its analysis is made. */
  readonly isAnalyzed: boolean
  /** Whether its webhook is told. */
  readonly isNotified: boolean
}

/** What the hand-over to an agent and the one away from it say about it. */
export function rolesOf(
  to: SwapSettings | undefined,
  outgoing: SwapSettings | undefined,
): Pick<ConversationAgent, 'isAnalyzed' | 'isNotified'> {
  return {
    isAnalyzed: outgoing?.analysis !== 'only_destination_agent',
    isNotified: outgoing?.webhooks !== 'only_destination_agent' && to?.webhooks !== 'only_source_agent',
  }
}

const NO_AGENT_WEBHOOK: AgentWebhook = { url: null, events: [], timeoutMs: 10_000 }

/** Whose webhooks are told of a conversation. A deleted agent has no address of its own any more. */
export function webhooksOf(agents: readonly ConversationAgent[]): readonly AgentWebhook[] {
  return agents.filter(({ isNotified }) => isNotified).map(({ agent }) => agent?.webhook ?? NO_AGENT_WEBHOOK)
}

/** The agent, or `null` when it was deleted since. */
export async function nullIfDeleted(loading: Promise<PinnedAgent>): Promise<PinnedAgent | null> {
  try {
    return await loading
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}
