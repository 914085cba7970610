import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import { basicAnalysis, redactAnalysis, redactMessages, redactorFor } from '../redaction/redact-conversation.ts'

/**
 * A chat as it may be stored and told: what the policy leaves out is not in it. Metadata and attributes are the customer's
 * own and stay. A chat that was redacted before comes out as it is.
 */
export function redactChat(chat: Chat, policy: Pick<StoragePolicy, 'setting' | 'categories'>): Chat {
  if (policy.setting === 'everything') return chat
  if (policy.setting === 'basic_attributes_only') {
    return {
      ...chat,
      messages: [],
      transcript: '',
      retrievedPassages: [],
      chatAnalysis: basicAnalysis(chat.chatAnalysis),
      collectedDynamicVariables: {},
      service_dynamic_variables: {},
      overrideDynamicVariables: {},
    }
  }
  const variables = [chat.service_dynamic_variables, chat.collectedDynamicVariables, chat.overrideDynamicVariables]
  const redactor = redactorFor({ messages: chat.messages, variables }, policy)
  const messages = redactMessages(chat.messages, redactor)
  return {
    ...chat,
    messages,
    transcript: transcriptOf(messages),
    retrievedPassages: redactor.value(chat.retrievedPassages) as Chat['retrievedPassages'],
    chatAnalysis: redactAnalysis(chat.chatAnalysis, redactor),
    collectedDynamicVariables: redactor.variables(chat.collectedDynamicVariables),
    service_dynamic_variables: redactor.variables(chat.service_dynamic_variables),
    overrideDynamicVariables: redactor.variables(chat.overrideDynamicVariables),
  }
}

/** Lines `Agent: …` and `User: …` of everything that was said. */
function transcriptOf(messages: readonly ChatMessage[]): string {
  const dialogue = messages.filter(({ role, content }) => (role === 'user' || role === 'assistant') && content !== '')
  return dialogue.map(({ role, content }) => `${role === 'user' ? 'User' : 'Agent'}: ${content}`).join('\n')
}
