import type { ChatAnalysis } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { StoragePolicy } from '../policy/storage-policy.ts'
import {
  collectKnownFromFields,
  collectKnownFromJson,
  collectKnownFromText,
  createRedactor,
  type KnownValue,
  type Redactor,
} from './redactor.ts'

/** JSON columns with a conversation's variables. */
export type VariableColumns = Pick<CallRow, 'given_variables' | 'collected_variables' | 'override_variables'>

export const NO_VARIABLES: VariableColumns = {
  given_variables: '{}',
  collected_variables: '{}',
  override_variables: '{}',
}

/** Parses the variable columns of a conversation. */
export function parseVariableColumns({ given_variables, collected_variables, override_variables }: VariableColumns) {
  const parseJson = (json: string) => JSON.parse(json) as Record<string, string>
  const overrides = JSON.parse(override_variables) as Record<string, string | null>
  return [parseJson(given_variables), parseJson(collected_variables), overrides] as const
}

/** Redacts the variable columns of a conversation. */
export function redactVariables(
  columns: VariableColumns,
  redactor: Pick<Redactor, 'redactVariables'>,
): VariableColumns {
  const [givenVariables, collectedVariables, overrideVariables] = parseVariableColumns(columns)
  return {
    given_variables: JSON.stringify(redactor.redactVariables(givenVariables)),
    collected_variables: JSON.stringify(redactor.redactVariables(collectedVariables)),
    override_variables: JSON.stringify(redactor.redactVariables(overrideVariables)),
  }
}

/** The parts of a message that redaction reads. */
export type RedactableMessage = Pick<ChatMessage, 'role' | 'content' | 'tool_calls'>

interface RedactableConversation {
  readonly messages: readonly RedactableMessage[]
  readonly variables: readonly Readonly<Record<string, string | null>>[]
}

/** Creates a redactor that knows the personal values of the whole conversation and finds them wherever they recur. */
export function createConversationRedactor(
  conversation: RedactableConversation,
  policy: Pick<StoragePolicy, 'categories'>,
): Redactor {
  const { messages, variables } = conversation
  const knownValues: KnownValue[] = variables.flatMap((fields) => collectKnownFromFields(fields, true))
  let question = ''
  for (const { role, content, tool_calls } of messages) {
    if (role === 'user') knownValues.push(...collectKnownFromText(content, question))
    if (role === 'tool') knownValues.push(...collectKnownFromJson(content, false))
    for (const call of tool_calls) knownValues.push(...collectKnownFromJson(call.function.arguments, true))
    question = findOpenQuestion(role, content, question)
  }
  return createRedactor(policy.categories, knownValues)
}

/** Redacts messages, in order. Returns the same object for an unaffected message. */
export function redactMessages<Message extends RedactableMessage>(
  messages: readonly Message[],
  redactor: Redactor,
): Message[] {
  let question = ''
  return messages.map((message) => {
    const redactedMessage = redactMessage(message, question, redactor)
    question = findOpenQuestion(message.role, message.content, question)
    return redactedMessage
  })
}

function redactMessage<Message extends RedactableMessage>(
  message: Message,
  question: string,
  redactor: Redactor,
): Message {
  const { role, content } = message
  const isData = role === 'tool' || role === 'system'
  const text = isData
    ? redactor.redactJson(content)
    : redactor.redactText(content, { question: role === 'user' ? question : '', isAgent: role === 'assistant' })
  const toolCalls = message.tool_calls.map((call) => {
    const redactedArguments = redactor.redactJson(call.function.arguments, true)
    return redactedArguments === call.function.arguments
      ? call
      : { ...call, function: { ...call.function, arguments: redactedArguments } }
  })
  const isUnchanged = text === content && toolCalls.every((call, index) => call === message.tool_calls[index])
  return isUnchanged ? message : { ...message, content: text, tool_calls: toolCalls }
}

/** Returns the agent's last question, which the user's next message may answer. */
export function findOpenQuestion(role: ChatMessage['role'], content: string, previousQuestion: string): string {
  if (role === 'user') return ''
  if (role !== 'assistant' || content === '') return previousQuestion
  const end = content.slice(-600).lastIndexOf('?')
  if (end < 0) return ''
  const text = content.slice(-600).slice(0, end + 1)
  const start = Math.max(text.lastIndexOf('. '), text.lastIndexOf('! '), text.lastIndexOf('? '), text.lastIndexOf('\n'))
  return text.slice(start + 1)
}

/** Redacts analysis results. */
export function redactAnalysis(analysis: ChatAnalysis, redactor: Redactor): ChatAnalysis {
  const { summary, customData } = analysis
  return {
    ...analysis,
    summary: summary === null ? null : redactor.redactText(summary),
    customData: redactor.redactValue(customData, true) as ChatAnalysis['customData'],
  }
}

/** Reduces an analysis to the results that are kept if no content is stored. */
export function reduceToBasicAnalysis({ sentiment, successful }: ChatAnalysis): ChatAnalysis {
  return { summary: null, sentiment, successful, customData: {} }
}
