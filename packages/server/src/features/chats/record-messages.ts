import type { DialogueAction, DialogueEvent } from '@parley/engine/dialogue/conversation'

/** Messages of role `system` that record what happened beside what was said; their content is JSON, no model is told of them. */

interface RecordMessage {
  readonly role: 'system'
  readonly name: string
  readonly content: string
}

export const RECORD_NAMES: readonly string[] = ['node_transition', 'state_transition', 'agent_swap', 'sms']

export function isRecord(message: { readonly role: string; readonly name: string }): boolean {
  return message.role === 'system' && RECORD_NAMES.includes(message.name)
}

/** The record of a transition. */
export function transitionRecord(
  event: Extract<DialogueEvent, { type: 'node-transition' | 'state-transition' }>,
): RecordMessage {
  if (event.type === 'state-transition') {
    return record('state_transition', { former_state_name: event.from, new_state_name: event.to })
  }
  const { from, to, transitionType } = event
  return record('node_transition', {
    former_node_id: from?.nodeId ?? null,
    former_node_name: from?.nodeName ?? '',
    former_node_path: from?.path ?? [],
    new_node_id: to.nodeId,
    new_node_name: to.nodeName,
    new_node_path: to.path,
    transition_type: transitionType,
  })
}

/** The record of an action; `null` for those that leave none. */
export function actionRecord(action: DialogueAction): RecordMessage | null {
  switch (action.type) {
    case 'end':
      return null
    case 'agent-swap': {
      const { agentId, agentVersion, agentName } = action.agent
      return record('agent_swap', { agent_id: agentId, agent_version: agentVersion, agent_name: agentName })
    }
    case 'send-sms': {
      const { message, outcome } = action
      const { status, reason } = outcome
      return record('sms', { to_number: message.toNumber, text: message.text, status, reason })
    }
  }
}

function record(name: string, content: Readonly<Record<string, unknown>>): RecordMessage {
  return { role: 'system', name, content: JSON.stringify(content) }
}
