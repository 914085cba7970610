import type { HistoryMessage } from '../conversation.ts'

/** Approximate number of characters per token in English text. */
const CHARACTERS_PER_TOKEN = 4

/** Default for models with an unknown context window. Current hosted models have at least this size. */
const DEFAULT_CONTEXT_TOKENS = 128_000

/** Tokens reserved for the answer. Small windows reserve a quarter instead. */
const RESERVED_OUTPUT_TOKENS = 4_096

/** Characters for a message's role, separators and IDs. */
const MESSAGE_OVERHEAD_CHARACTERS = 16

/** A trimmed history. */
export interface TrimmedHistory {
  readonly messages: readonly HistoryMessage[]
  readonly droppedTurns: number
}

/**
 * Returns the number of history characters that fit a context window alongside `fixedCharacters` of system prompt and tools.
 */
export function computeHistoryBudget(contextTokens: number | undefined, fixedCharacters: number): number {
  const windowTokens = contextTokens ?? DEFAULT_CONTEXT_TOKENS
  const outputTokens = Math.min(RESERVED_OUTPUT_TOKENS, windowTokens / 4)
  return Math.max(0, (windowTokens - outputTokens) * CHARACTERS_PER_TOKEN - fixedCharacters)
}

/**
 * Keeps the newest complete turns that fit the budget, and always the newest turn. A turn starts with a user message, so that
 * tool calls stay with their results. Messages before the first user message form one turn.
 */
export function trimHistory(messages: readonly HistoryMessage[], budgetCharacters: number): TrimmedHistory {
  let usedCharacters = 0
  let firstKeptIndex = messages.length
  let index = messages.length
  while (index > 0) {
    index -= 1
    const message = messages[index]
    if (message === undefined) break
    usedCharacters += countCharacters(message)
    if (usedCharacters > budgetCharacters && firstKeptIndex < messages.length) break
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

function countCharacters(message: HistoryMessage): number {
  let characters = message.content.length + MESSAGE_OVERHEAD_CHARACTERS
  if (message.role === 'assistant') {
    for (const call of message.toolCalls) {
      characters += call.name.length + call.argumentsText.length + MESSAGE_OVERHEAD_CHARACTERS
    }
  }
  return characters
}
