import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import { type AnalysisOutcome, type AnalyzeDependencies, analyzeEnded } from '../analysis/analyze-ended.ts'
import type { PostProcessingPlan } from '../policy/plan-post-processing.ts'
import type { StoredUsage } from '../post-processing-ports.ts'
import { type EndedChat, historyOf } from './ended-chat-store.ts'

/** Finds out about a chat what its agents ask. */
export async function analyzeChat(
  dependencies: AnalyzeDependencies,
  ended: EndedChat,
  plan: Pick<PostProcessingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<AnalysisOutcome> {
  const conversation = toAnalyzedConversation(ended, dependencies.clock.now())
  return await analyzeEnded(dependencies, { workspaceId: ended.chat.workspace_id, conversation }, plan)
}

const END_REASONS: Readonly<Record<string, AnalyzedConversation['endedBy']>> = {
  request: 'user',
  agent: 'agent',
  silence: 'silence',
}

function toAnalyzedConversation({ chat, messages, turns }: EndedChat, now: number): AnalyzedConversation {
  const lastStatus = turns.at(-1)?.status
  return {
    history: historyOf(messages),
    collectedVariables: JSON.parse(chat.collected_variables) as Record<string, string>,
    endedBy: END_REASONS[chat.end_reason ?? ''] ?? 'other',
    lastTurnFailed: lastStatus === 'failed' || lastStatus === 'interrupted' || chat.status === 'error',
    today: new Date(chat.ended_at ?? now).toISOString().slice(0, 10),
  }
}

/** The list of a chat with more at its end. */
export function addUsages(stored: string, usages: readonly StoredUsage[]): string {
  return usages.length === 0 ? stored : JSON.stringify([...(JSON.parse(stored) as StoredUsage[]), ...usages])
}
