import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import { type AnalyseDependencies, analyseEnded, type EndedAnalysisOutcome } from '../analysis/analyse-ended.ts'
import type { StoredUsage } from '../endings-ports.ts'
import type { EndingPlan } from '../policy/plan-ending.ts'
import { type EndedChat, historyOf } from './ending-store.ts'

/** Finds out about a chat what its agents ask. */
export async function analyseChat(
  dependencies: AnalyseDependencies,
  ended: EndedChat,
  plan: Pick<EndingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<EndedAnalysisOutcome> {
  const conversation = toAnalysed(ended, dependencies.clock.now())
  return await analyseEnded(dependencies, { workspaceId: ended.chat.workspace_id, conversation }, plan)
}

const ENDED_BY: Readonly<Record<string, AnalyzedConversation['endedBy']>> = {
  request: 'user',
  agent: 'agent',
  silence: 'silence',
}

function toAnalysed({ chat, messages, turns }: EndedChat, now: number): AnalyzedConversation {
  const lastStatus = turns.at(-1)?.status
  return {
    history: historyOf(messages),
    collectedVariables: JSON.parse(chat.collected_variables) as Record<string, string>,
    endedBy: ENDED_BY[chat.end_reason ?? ''] ?? 'other',
    lastTurnFailed: lastStatus === 'failed' || lastStatus === 'interrupted' || chat.status === 'error',
    today: new Date(chat.ended_at ?? now).toISOString().slice(0, 10),
  }
}

/** The list of a chat with more at its end. */
export function addUsages(stored: string, usages: readonly StoredUsage[]): string {
  return usages.length === 0 ? stored : JSON.stringify([...(JSON.parse(stored) as StoredUsage[]), ...usages])
}
