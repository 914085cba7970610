import type { ChatAnalysis } from '@parley/contract/chat'
import { analyseConversation } from '@parley/engine/dialogue/analysis/analyse-conversation'
import type { AnalysedConversation } from '@parley/engine/dialogue/analysis/analysed-conversation'
import type { UsedModel } from '@parley/engine/dialogue/analysis/ask-for-report'
import type { Clock, ModelFailure } from '@parley/engine/ports'
import type { AnalysisModels, CostOf, StoredUsage } from './chat-endings-ports.ts'
import { type EndedChat, historyOf } from './ending-store.ts'
import type { EndingPlan } from './plan-ending.ts'

export interface AnalyseChatDependencies {
  readonly clock: Clock
  readonly models: AnalysisModels
  readonly costOf: CostOf
}

/** What was found out and what that used; `null` when the work was called off. */
export type ChatAnalysisOutcome = { readonly usages: readonly StoredUsage[] } & (
  | { readonly type: 'found'; readonly analysis: ChatAnalysis }
  | { readonly type: 'failed'; readonly failure: ModelFailure }
  | { readonly type: 'cancelled' }
)

/** Nobody waits for the first word of a report, which some models give in one piece. */
const DEADLINES = { firstTokenMs: 120_000, idleMs: 120_000, totalMs: 240_000 }

/** Finds out about a chat what its agents ask. */
export async function analyseChat(
  { clock, models, costOf }: AnalyseChatDependencies,
  ended: EndedChat,
  plan: Pick<EndingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<ChatAnalysisOutcome> {
  const { resolve } = await models.forWorkspace(ended.chat.workspace_id)
  const conversation = toAnalysed(ended, clock.now())
  const outcome = await analyseConversation(
    { resolveModel: resolve, clock, deadlines: DEADLINES },
    { ...plan, conversation },
  )
  return { ...outcome, usages: outcome.usages.map((used) => toStored(used, costOf)) }
}

const ENDED_BY: Readonly<Record<string, AnalysedConversation['endedBy']>> = {
  request: 'user',
  agent: 'agent',
  silence: 'silence',
}

function toAnalysed({ chat, messages, turns }: EndedChat, now: number): AnalysedConversation {
  const lastStatus = turns.at(-1)?.status
  return {
    history: historyOf(messages),
    collectedVariables: JSON.parse(chat.collected_variables) as Record<string, string>,
    endedBy: ENDED_BY[chat.end_reason ?? ''] ?? 'other',
    lastTurnFailed: lastStatus === 'failed' || lastStatus === 'interrupted' || chat.status === 'error',
    today: new Date(chat.ended_at ?? now).toISOString().slice(0, 10),
  }
}

function toStored({ model, usage }: UsedModel, costOf: CostOf): StoredUsage {
  return { model, ...usage, cost: costOf(model, usage) }
}

/** The list of a chat with more at its end. */
export function addUsages(stored: string, usages: readonly StoredUsage[]): string {
  return usages.length === 0 ? stored : JSON.stringify([...(JSON.parse(stored) as StoredUsage[]), ...usages])
}
