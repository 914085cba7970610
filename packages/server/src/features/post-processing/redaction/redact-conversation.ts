import type { ChatAnalysis } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import {
  createRedactor,
  type KnownValue,
  knownFromFields,
  knownFromJson,
  knownFromWords,
  type Redactor,
} from './redactor.ts'

/** What is read of a message to redact it. */
export type RedactableMessage = Pick<ChatMessage, 'role' | 'content' | 'tool_calls'>

export interface RedactableConversation {
  readonly messages: readonly RedactableMessage[]
  readonly variables: readonly Readonly<Record<string, string | null>>[]
}

/** Learns what is personal in a conversation from all of it, so that a name given once is found everywhere. */
export function redactorFor(conversation: RedactableConversation, policy: Pick<StoragePolicy, 'categories'>): Redactor {
  const { messages, variables } = conversation
  const known: KnownValue[] = variables.flatMap((given) => knownFromFields(given, true))
  let asked = ''
  for (const { role, content, tool_calls } of messages) {
    if (role === 'user') known.push(...knownFromWords(content, asked))
    if (role === 'tool') known.push(...knownFromJson(content, false))
    for (const call of tool_calls) known.push(...knownFromJson(call.function.arguments, true))
    asked = nextQuestion(role, content, asked)
  }
  return createRedactor(policy.categories, known)
}

/** The messages without what is personal, in their order. Those without any are the same objects. */
export function redactMessages<Message extends RedactableMessage>(
  messages: readonly Message[],
  redactor: Redactor,
): Message[] {
  let asked = ''
  return messages.map((message) => {
    const redacted = redactMessage(message, asked, redactor)
    asked = nextQuestion(message.role, message.content, asked)
    return redacted
  })
}

function redactMessage<Message extends RedactableMessage>(
  message: Message,
  asked: string,
  redactor: Redactor,
): Message {
  const { role, content } = message
  const isData = role === 'tool' || role === 'system'
  const text = isData
    ? redactor.json(content)
    : redactor.text(content, { asked: role === 'user' ? asked : '', isAgent: role === 'assistant' })
  const calls = message.tool_calls.map((call) => {
    const written = redactor.json(call.function.arguments, true)
    return written === call.function.arguments ? call : { ...call, function: { ...call.function, arguments: written } }
  })
  const isSame = text === content && calls.every((call, index) => call === message.tool_calls[index])
  return isSame ? message : { ...message, content: text, tool_calls: calls }
}

/** The question that the next message of the user may answer: the last of what the agent said. */
export function nextQuestion(role: ChatMessage['role'], content: string, before: string): string {
  if (role === 'user') return ''
  if (role !== 'assistant' || content === '') return before
  const end = content.slice(-600).lastIndexOf('?')
  if (end < 0) return ''
  const text = content.slice(-600).slice(0, end + 1)
  const start = Math.max(text.lastIndexOf('. '), text.lastIndexOf('! '), text.lastIndexOf('? '), text.lastIndexOf('\n'))
  return text.slice(start + 1)
}

/** What was found out, without what is personal. */
export function redactAnalysis(analysis: ChatAnalysis, redactor: Redactor): ChatAnalysis {
  const { summary, customData } = analysis
  return {
    ...analysis,
    summary: summary === null ? null : redactor.text(summary),
    customData: redactor.value(customData, true) as ChatAnalysis['customData'],
  }
}

/** What is kept of an analysis where nothing is kept of what was said. */
export function basicAnalysis({ sentiment, successful }: ChatAnalysis): ChatAnalysis {
  return { summary: null, sentiment, successful, customData: {} }
}
