import type { Passage } from '@parley/contract/knowledge-passage'
import { parseJsonObject } from '@parley/engine/dialogue/json'
import type { Exchange } from '@parley/engine/dialogue/rules/fill-fields'
import { UNPROMPTED_INSTRUCTIONS } from '@parley/engine/dialogue/unprompted'
import type { JsonObject, ModelMessage } from '@parley/engine/ports'

/** A tool call with its result, which is `null` until the call ends. */
export interface MadeCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly result: string | null
}

/** The messages of a request, sorted by purpose. */
export interface Conversation {
  /** Prompts, oldest first. */
  readonly prompts: readonly string[]
  /** Passages of knowledge bases for the last message; `null` without a search. Data, never instructions. */
  readonly passages: readonly Passage[] | null
  /** The most recent exchanges, oldest first. */
  readonly exchanges: readonly Exchange[]
  /** The message to answer; `null` when the agent spoke last. */
  readonly current: Exchange | null
  /** All calls, oldest first. */
  readonly calls: readonly MadeCall[]
  /** Number of calls before the user's last message. */
  readonly callsBefore: number
  /** Whether tool results arrived after the agent's last message. */
  readonly hasFreshResults: boolean
  /** The agent's messages, oldest first. */
  readonly said: readonly string[]
  /** A message from outside that the agent says now. */
  readonly news: string | null
  /** Whether the user has been silent since the agent spoke. */
  readonly isReminder: boolean
  /** Whether another agent has taken over since the user spoke. */
  readonly wasHandedOver: boolean
}

const MAX_EXCHANGES = 60
const MAX_SAID = 200

type Draft = { -readonly [Key in keyof Conversation]: Conversation[Key] }

/** Sorts the messages of a request by purpose. System messages at any position count as prompts. */
export function readConversation(messages: readonly ModelMessage[]): Conversation {
  const prompts: string[] = []
  const exchanges: Exchange[] = []
  const calls: MadeCall[] = []
  const userTexts: string[] = []
  const draft: Draft = {
    ...{ prompts, exchanges, calls, said: userTexts, passages: null, current: null, news: null },
    ...{ callsBefore: 0, hasFreshResults: false, isReminder: false, wasHandedOver: false },
  }
  /** What the agent said since the user spoke. */
  let question = ''
  for (const message of messages) {
    if (message.role === 'system') readSystem(message, draft, prompts)
    else if (message.role === 'user') {
      // Consecutive messages of the user count as one.
      const previousExchange = question === '' && draft.current !== null ? exchanges.pop() : undefined
      const content = previousExchange === undefined ? message.content : `${previousExchange.user}\n${message.content}`
      draft.current = { agent: previousExchange?.agent ?? question, user: content }
      exchanges.push(draft.current)
      question = ''
      Object.assign(draft, { callsBefore: calls.length, hasFreshResults: false, wasHandedOver: false })
    } else if (message.role === 'assistant') {
      for (const { id, name, argumentsText } of message.toolCalls)
        calls.push({ id, name, args: parseJsonObject(argumentsText) ?? {}, result: null })
      if (message.content.trim() === '') continue
      question = message.content.trim()
      userTexts.push(question)
      if (message.toolCalls.length === 0) Object.assign(draft, { current: null, hasFreshResults: false })
    } else {
      const callIndex = calls.findLastIndex(({ id }) => id === message.toolCallId)
      const call = calls[callIndex]
      if (call !== undefined) calls[callIndex] = { ...call, result: message.content }
      const isHandOver = /^the conversation was handed over\b/i.test(message.content)
      Object.assign(draft, isHandOver ? { wasHandedOver: true } : { hasFreshResults: true })
    }
  }
  return { ...draft, exchanges: exchanges.slice(-MAX_EXCHANGES), said: userTexts.slice(-MAX_SAID) }
}

function readSystem(
  { content, passages }: Extract<ModelMessage, { role: 'system' }>,
  draft: Draft,
  prompts: string[],
): void {
  // Passages are data, so instructions in them are ignored.
  if (passages !== undefined) draft.passages = passages
  else if (content === UNPROMPTED_INSTRUCTIONS.update) draft.news = prompts.pop() ?? null
  else if (content === UNPROMPTED_INSTRUCTIONS.reminder) draft.isReminder = true
  else if (content !== UNPROMPTED_INSTRUCTIONS.opening) prompts.push(content)
}
