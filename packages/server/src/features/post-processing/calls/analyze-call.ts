import type { CallEvent } from '@parley/contract/call-event'
import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { HistoryMessage } from '@parley/engine/dialogue/conversation'
import { type AnalysisOutcome, type AnalyzeDependencies, analyzeEnded } from '../analysis/analyze-ended.ts'
import type { PostProcessingPlan } from '../policy/plan-post-processing.ts'
import { variablesOf } from '../redaction/variable-columns.ts'
import type { EndedCall } from './ended-call-store.ts'

/** Finds out about a call what its agents ask. */
export async function analyzeCall(
  dependencies: AnalyzeDependencies,
  ended: EndedCall,
  plan: Pick<PostProcessingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<AnalysisOutcome> {
  const conversation = toAnalyzedConversation(ended, dependencies.clock.now())
  return await analyzeEnded(dependencies, { workspaceId: ended.call.workspace_id, conversation }, plan)
}

const END_REASONS: Readonly<Record<string, AnalyzedConversation['endedBy']>> = {
  user_hangup: 'user',
  agent_hangup: 'agent',
  inactivity: 'silence',
}

function toAnalyzedConversation({ call, events }: EndedCall, now: number): AnalyzedConversation {
  const [, collectedVariables] = variablesOf(call)
  const last = events.findLast((event) => event.type === 'agent-message')
  return {
    history: historyOf(events),
    collectedVariables,
    endedBy: END_REASONS[call.disconnection_reason ?? ''] ?? 'other',
    lastTurnFailed: call.status === 'error' || last?.kind === 'fallback',
    today: new Date(call.ended_at ?? now).toISOString().slice(0, 10),
  }
}

/** What was said, heard and done, as the engine sees it. */
function historyOf(events: readonly CallEvent[]): HistoryMessage[] {
  return events.flatMap((event): HistoryMessage[] => {
    switch (event.type) {
      case 'user-message':
        return [{ role: 'user', content: event.content }]
      case 'agent-message':
        return event.content === '' ? [] : [{ role: 'assistant', content: event.content, toolCalls: [] }]
      case 'tool-call': {
        const call = { id: event.toolCallId, name: event.name, argumentsText: event.arguments }
        return [{ role: 'assistant', content: '', toolCalls: [call] }]
      }
      case 'tool-result':
        return [{ role: 'tool', toolCallId: event.toolCallId, name: event.name, content: event.content }]
      default:
        return []
    }
  })
}
