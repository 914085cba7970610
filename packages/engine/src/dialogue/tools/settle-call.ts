import type { DialogueEvent } from '../conversation.ts'
import type { Turn } from '../turn.ts'
import { selectChangedVariables, type VariableUpdates } from '../variables/variable-updates.ts'
import type { FinishedCall } from './run-tools.ts'

/** Stores collected variables in the turn and reports the changes. */
export function* collectVariables(turn: Turn, updates: VariableUpdates): Generator<DialogueEvent> {
  const variables = selectChangedVariables(turn.collectedVariables, updates)
  if (Object.keys(variables).length === 0) return
  turn.collect(variables)
  yield { type: 'variables-collected', variables }
}

/** Stores a call's result in the turn and reports it after its variables, so that both are stored together. */
export async function* recordFinishedCall(
  turn: Turn,
  { plan, result, sms }: FinishedCall,
): AsyncGenerator<DialogueEvent> {
  const { id: toolCallId, name } = plan.call
  const { content, fullContent, ok, durationMs, variables } = result
  turn.addMessage({ role: 'tool', toolCallId, name, content })
  if (plan.type === 'answer' && plan.approval !== undefined) turn.recordApproval(plan.approval)
  if (plan.type === 'mcp') turn.removeApproval({ toolName: plan.call.name, args: plan.args })
  yield* collectVariables(turn, variables)
  if (sms !== null) yield { type: 'action', action: { type: 'send-sms', ...sms } }
  yield { type: 'tool-result', toolCallId, name, content, fullContent, ok, durationMs }
}
