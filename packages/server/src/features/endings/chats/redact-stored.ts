import type { ChatAnalysis } from '@parley/contract/chat'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import { basicAnalysis, redactAnalysis, redactMessages, redactorFor } from '../redaction/redact-conversation.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { NO_VARIABLES, redactVariables, variablesOf } from '../redaction/variable-columns.ts'
import type { ChatChange, EndedChat, StoredTurn } from './ending-store.ts'

export interface RedactedStored {
  readonly change: ChatChange
  readonly analysis: ChatAnalysis | null
}

/** What a policy leaves of a chat in the database and of what was found out about it. */
export function redactStored(ended: EndedChat, policy: StoragePolicy, analysis: ChatAnalysis | null): RedactedStored {
  const { chat, messages, turns } = ended
  if (policy.setting === 'everything') {
    return { change: { columns: {}, messages, turns, dropsEvents: false }, analysis }
  }
  if (policy.setting === 'basic_attributes_only') {
    const bare = turns.map((turn) => changed(turn, { explanation: '[]', error_message: null }))
    const change = { columns: NO_VARIABLES, messages: null, turns: bare, dropsEvents: true }
    return { change, analysis: analysis === null ? null : basicAnalysis(analysis) }
  }
  const redactor = redactorFor({ messages, variables: variablesOf(chat) }, policy)
  const change = {
    columns: redactVariables(chat, redactor),
    messages: redactMessages(messages, redactor),
    turns: turns.map((turn) => redactTurn(turn, redactor)),
    dropsEvents: true,
  }
  return { change, analysis: analysis === null ? null : redactAnalysis(analysis, redactor) }
}

function redactTurn(turn: StoredTurn, redactor: Redactor): StoredTurn {
  const { explanation, error_message } = turn
  return changed(turn, {
    explanation: redactor.json(explanation),
    error_message: error_message === null ? null : redactor.text(error_message),
  })
}

/** The same object when nothing is different. */
function changed(turn: StoredTurn, columns: Pick<StoredTurn, 'explanation' | 'error_message'>): StoredTurn {
  const isSame = turn.explanation === columns.explanation && turn.error_message === columns.error_message
  return isSame ? turn : { ...turn, ...columns }
}
