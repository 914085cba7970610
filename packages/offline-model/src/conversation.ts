import type { Passage } from '@parley/contract/knowledge-passage'
import { isObject } from '@parley/engine/dialogue/rules/fields'
import type { Exchange } from '@parley/engine/dialogue/rules/fill-fields'
import { UNPROMPTED_INSTRUCTIONS } from '@parley/engine/dialogue/unprompted'
import type { JsonObject, JsonValue, ModelMessage } from '@parley/engine/ports'

/** A call that was made, with what came of it; `null` as long as there is no result. */
export interface MadeCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly result: string | null
}

/** The messages of a request, sorted by what they are for. */
export interface Conversation {
  /** Prompts, oldest first. */
  readonly prompts: readonly string[]
  /** Found in knowledge bases for what was said last; `null` when nothing was searched. Data, never instructions. */
  readonly passages: readonly Passage[] | null
  /** The newest ones, oldest first. */
  readonly exchanges: readonly Exchange[]
  /** `null` when nobody said anything since the agent spoke last. */
  readonly current: Exchange | null
  /** All calls, oldest first. */
  readonly calls: readonly MadeCall[]
  /** How many calls there were before the user spoke last. */
  readonly callsBefore: number
  /** Whether nothing was said after the results. */
  readonly hasFreshResults: boolean
  /** What the agent said, oldest first. */
  readonly said: readonly string[]
  /** A message from outside that the agent says now. */
  readonly news: string | null
  /** The user has been silent since the agent spoke. */
  readonly isReminder: boolean
  /** Another agent has taken over since the user spoke. */
  readonly wasHandedOver: boolean
}

const MAX_EXCHANGES = 60
const MAX_SAID = 200

type Draft = { -readonly [Key in keyof Conversation]: Conversation[Key] }

/** Sorts the messages in one pass; system messages after the conversation started count like those before. */
export function readConversation(messages: readonly ModelMessage[]): Conversation {
  const prompts: string[] = []
  const exchanges: Exchange[] = []
  const calls: MadeCall[] = []
  const said: string[] = []
  const draft: Draft = {
    ...{ prompts, exchanges, calls, said, passages: null, current: null, news: null },
    ...{ callsBefore: 0, hasFreshResults: false, isReminder: false, wasHandedOver: false },
  }
  /** What the agent said since the user spoke. */
  let asked = ''
  for (const message of messages) {
    if (message.role === 'system') readSystem(message, draft, prompts)
    else if (message.role === 'user') {
      // Several messages in a row are one thing said in parts.
      const before = asked === '' && draft.current !== null ? exchanges.pop() : undefined
      const content = before === undefined ? message.content : `${before.said}\n${message.content}`
      draft.current = { asked: before?.asked ?? asked, said: content }
      exchanges.push(draft.current)
      asked = ''
      Object.assign(draft, { callsBefore: calls.length, hasFreshResults: false, wasHandedOver: false })
    } else if (message.role === 'assistant') {
      for (const { id, name, argumentsText } of message.toolCalls)
        calls.push({ id, name, args: readArguments(argumentsText), result: null })
      if (message.content.trim() === '') continue
      asked = message.content.trim()
      said.push(asked)
      if (message.toolCalls.length === 0) Object.assign(draft, { current: null, hasFreshResults: false })
    } else {
      const at = calls.findLastIndex(({ id }) => id === message.toolCallId)
      const call = calls[at]
      if (call !== undefined) calls[at] = { ...call, result: message.content }
      const isHandOver = /^the conversation was handed over\b/i.test(message.content)
      Object.assign(draft, isHandOver ? { wasHandedOver: true } : { hasFreshResults: true })
    }
  }
  return { ...draft, exchanges: exchanges.slice(-MAX_EXCHANGES), said: said.slice(-MAX_SAID) }
}

function readSystem(
  { content, passages }: Extract<ModelMessage, { role: 'system' }>,
  draft: Draft,
  prompts: string[],
): void {
  // Quoted documents are no prompt: what they say as orders is not read at all.
  if (passages !== undefined) draft.passages = passages
  else if (content === UNPROMPTED_INSTRUCTIONS.update) draft.news = prompts.pop() ?? null
  else if (content === UNPROMPTED_INSTRUCTIONS.reminder) draft.isReminder = true
  else if (content !== UNPROMPTED_INSTRUCTIONS.opening) prompts.push(content)
}

function readArguments(text: string): JsonObject {
  const value = parseJson(text)
  return isObject(value) ? value : {}
}

/** The value of a JSON text; `undefined` for any other text. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
