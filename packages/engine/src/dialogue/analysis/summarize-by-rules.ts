import { detectIntents, extractContentWords, stripGreeting } from '../rules/intents.ts'
import { joinAsSpoken, shorten, splitSentences } from '../rules/sentences.ts'
import { toSingleLine } from '../text.ts'
import type { AnalyzedConversation } from './analyzed-conversation.ts'
import { isFailedToolResult } from './detect-success.ts'

const QUOTE_CHARACTERS = 240
const MAX_TOOLS = 5

/** Summarizes a conversation by quoting its key messages, so that the summary cannot contain false statements. */
export function summarizeByRules({ history, endedBy }: AnalyzedConversation): string | null {
  const user = history.flatMap(({ role, content }) =>
    role === 'user' && content.trim() !== '' ? [content.trim()] : [],
  )
  const agent = history.flatMap(({ role, content }) =>
    role === 'assistant' && content.trim() !== '' ? [content.trim()] : [],
  )
  if (user.length === 0) return agent.length === 0 ? null : 'The user said nothing.'
  const request = findRequest(user)
  const outcome = findOutcome(agent)
  const sentences = [`The user wrote: “${request}”`]
  const turn = findLaterRequest(user, request)
  if (turn !== null) sentences.push(`Later: “${turn}”`)
  const tools = describeTools(history)
  if (tools !== '') sentences.push(tools)
  if (outcome !== null) sentences.push(`The agent’s last statement: “${outcome}”`)
  if (endedBy === 'agent') sentences.push('The agent ended the conversation.')
  if (endedBy === 'silence') sentences.push('The conversation ended after a silence.')
  return sentences.join(' ')
}

/** Returns the first message with content. */
function findRequest(said: readonly string[]): string {
  const about = said.find((text) => extractContentWords(stripGreeting(text)).length >= 2) ?? said[0] ?? ''
  return shorten(toSingleLine(about), QUOTE_CHARACTERS)
}

/** Returns a later request about a different subject, or `null` if there is none. */
function findLaterRequest(said: readonly string[], request: string): string | null {
  const before = new Set(extractContentWords(request))
  const later = said.slice(1).findLast((text) => {
    const terms = extractContentWords(text)
    const isNew = terms.filter((term) => !before.has(term)).length
    const intents = detectIntents(text)
    return terms.length >= 4 && isNew >= terms.length / 2 && !intents.has('thanks') && !intents.has('goodbye')
  })
  if (later === undefined) return null
  const text = shorten(toSingleLine(later), QUOTE_CHARACTERS)
  return text === request || text === '' ? null : text
}

/** Returns the agent's last statement, or a question or goodbye if the agent said nothing else. */
function findOutcome(said: readonly string[]): string | null {
  const sentences = said.slice(-6).flatMap((text) => splitSentences(toSingleLine(text.slice(0, 4_000))))
  const telling = sentences.findLast(
    (sentence) => !/[?？]["”’)]*$/.test(sentence) && extractContentWords(sentence).length >= 3,
  )
  const chosen = telling ?? sentences.at(-1)
  return chosen === undefined ? null : shorten(chosen, QUOTE_CHARACTERS)
}

/** Describes the called tools and whether their last calls failed. */
function describeTools(history: AnalyzedConversation['history']): string {
  const outcomes = new Map<string, boolean>()
  for (const message of history) {
    if (message.role === 'tool' && message.name !== '') outcomes.set(message.name, !isFailedToolResult(message.content))
  }
  if (outcomes.size === 0) return ''
  const names = [...outcomes].slice(0, MAX_TOOLS).map(([name, ok]) => (ok ? name : `${name} (failed)`))
  return `Tools used: ${joinAsSpoken(names)}.`
}
