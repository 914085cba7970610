import type { CallEvent } from '@parley/contract/call-event'
import type { AnalyzedConversation } from '@parley/engine/dialogue/analysis/analyzed-conversation'
import type { HistoryMessage } from '@parley/engine/dialogue/conversation'
import { type AnalyseDependencies, analyseEnded, type EndedAnalysisOutcome } from '../analysis/analyse-ended.ts'
import type { EndingPlan } from '../policy/plan-ending.ts'
import { variablesOf } from '../redaction/variable-columns.ts'
import type { EndedCall } from './ended-call-store.ts'

/** Finds out about a call what its agents ask. */
export async function analyseCall(
  dependencies: AnalyseDependencies,
  ended: EndedCall,
  plan: Pick<EndingPlan, 'items' | 'modelNames'> & { readonly signal: AbortSignal },
): Promise<EndedAnalysisOutcome> {
  const conversation = toAnalysed(ended, dependencies.clock.now())
  return await analyseEnded(dependencies, { workspaceId: ended.call.workspace_id, conversation }, plan)
}

const ENDED_BY: Readonly<Record<string, AnalyzedConversation['endedBy']>> = {
  user_hangup: 'user',
  agent_hangup: 'agent',
  inactivity: 'silence',
}

function toAnalysed({ call, events }: EndedCall, now: number): AnalyzedConversation {
  const [, collectedVariables] = variablesOf(call)
  const last = events.findLast((event) => event.type === 'agent-message')
  return {
    history: historyOf(events),
    collectedVariables,
    endedBy: ENDED_BY[call.disconnection_reason ?? ''] ?? 'other',
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
