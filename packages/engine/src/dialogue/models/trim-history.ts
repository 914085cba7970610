import type { HistoryMessage } from '../conversation.ts'

/** Rough size of a token; 4 characters is the usual figure for English, and providers refuse what is far beyond it. */
const CHARACTERS_PER_TOKEN = 4

/** Taken when a model does not tell its window: what current hosted models have at least. */
const DEFAULT_CONTEXT_TOKENS = 128_000

/** Kept free for the answer; small windows keep a quarter. */
const RESERVED_OUTPUT_TOKENS = 4_096

/** Role, separators and ids of a message, in characters. */
const MESSAGE_OVERHEAD_CHARACTERS = 16

/** What is left of a history. */
export interface TrimmedHistory {
  readonly messages: readonly HistoryMessage[]
  readonly droppedTurns: number
}

/** Characters of history that fit a model's window beside `fixedCharacters` of system prompt and tools. */
export function historyBudgetCharacters(contextTokens: number | undefined, fixedCharacters: number): number {
  const windowTokens = contextTokens ?? DEFAULT_CONTEXT_TOKENS
  const outputTokens = Math.min(RESERVED_OUTPUT_TOKENS, windowTokens / 4)
  return Math.max(0, (windowTokens - outputTokens) * CHARACTERS_PER_TOKEN - fixedCharacters)
}

/**
 * Keeps the newest whole turns that fit the budget, and the newest turn in any case. A turn begins with a user's message, so
 * tool calls stay with their results; what stands before the first user's message is a turn of its own.
 */
export function trimHistory(messages: readonly HistoryMessage[], budgetCharacters: number): TrimmedHistory {
  let used = 0
  let firstKeptIndex = messages.length
  let index = messages.length
  while (index > 0) {
    index -= 1
    const message = messages[index]
    if (message === undefined) break
    used += messageCharacters(message)
    if (used > budgetCharacters && firstKeptIndex < messages.length) break
    if (message.role === 'user' || index === 0) firstKeptIndex = index
  }
  if (firstKeptIndex === 0) return { messages, droppedTurns: 0 }
  return { messages: messages.slice(firstKeptIndex), droppedTurns: countTurns(messages, firstKeptIndex) }
}

function countTurns(messages: readonly HistoryMessage[], end: number): number {
  let turns = messages[0]?.role === 'user' ? 0 : 1
  for (let index = 0; index < end; index += 1) if (messages[index]?.role === 'user') turns += 1
  return turns
}

function messageCharacters(message: HistoryMessage): number {
  let characters = message.content.length + MESSAGE_OVERHEAD_CHARACTERS
  if (message.role === 'assistant') {
    for (const call of message.toolCalls) {
      characters += call.name.length + call.argumentsText.length + MESSAGE_OVERHEAD_CHARACTERS
    }
  }
  return characters
}
