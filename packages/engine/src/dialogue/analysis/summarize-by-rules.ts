import { detectIntents, extractContentWords, stripGreeting } from '../rules/intents.ts'
import { joinList, shorten, splitSentences } from '../rules/sentences.ts'
import { toSingleLine } from '../text.ts'
import type { AnalyzedConversation } from './analyzed-conversation.ts'
import { isFailedToolResult } from './detect-success.ts'

const QUOTE_CHARACTERS = 240
const MAX_TOOLS = 5

/** Summarizes a conversation by quoting its key messages, so that the summary cannot contain false statements. */
export function summarizeByRules({ history, endedBy }: AnalyzedConversation): string | null {
  const userTexts = history.flatMap(({ role, content }) =>
    role === 'user' && content.trim() !== '' ? [content.trim()] : [],
  )
  const agentTexts = history.flatMap(({ role, content }) =>
    role === 'assistant' && content.trim() !== '' ? [content.trim()] : [],
  )
  if (userTexts.length === 0) return agentTexts.length === 0 ? null : 'The user said nothing.'
  const request = findRequest(userTexts)
  const outcome = findOutcome(agentTexts)
  const sentences = [`The user wrote: “${request}”`]
  const laterRequest = findLaterRequest(userTexts, request)
  if (laterRequest !== null) sentences.push(`Later: “${laterRequest}”`)
  const tools = describeTools(history)
  if (tools !== '') sentences.push(tools)
  if (outcome !== null) sentences.push(`The agent’s last statement: “${outcome}”`)
  if (endedBy === 'agent') sentences.push('The agent ended the conversation.')
  if (endedBy === 'silence') sentences.push('The conversation ended after a silence.')
  return sentences.join(' ')
}

/** Returns the first message with content. */
function findRequest(userTexts: readonly string[]): string {
  const requestText =
    userTexts.find((text) => extractContentWords(stripGreeting(text)).length >= 2) ?? userTexts[0] ?? ''
  return shorten(toSingleLine(requestText), QUOTE_CHARACTERS)
}

/** Returns a later request about a different subject, or `null` if there is none. */
function findLaterRequest(userTexts: readonly string[], request: string): string | null {
  const requestTerms = new Set(extractContentWords(request))
  const laterText = userTexts.slice(1).findLast((text) => {
    const terms = extractContentWords(text)
    const newTermCount = terms.filter((term) => !requestTerms.has(term)).length
    const intents = detectIntents(text)
    return terms.length >= 4 && newTermCount >= terms.length / 2 && !intents.has('thanks') && !intents.has('goodbye')
  })
  if (laterText === undefined) return null
  const text = shorten(toSingleLine(laterText), QUOTE_CHARACTERS)
  return text === request || text === '' ? null : text
}

/** Returns the agent's last statement, or a question or goodbye if the agent said nothing else. */
function findOutcome(agentTexts: readonly string[]): string | null {
  const sentences = agentTexts.slice(-6).flatMap((text) => splitSentences(toSingleLine(text.slice(0, 4_000))))
  const lastStatement = sentences.findLast(
    (sentence) => !/[?？]["”’)]*$/.test(sentence) && extractContentWords(sentence).length >= 3,
  )
  const selectedSentence = lastStatement ?? sentences.at(-1)
  return selectedSentence === undefined ? null : shorten(selectedSentence, QUOTE_CHARACTERS)
}

/** Describes the called tools and whether their last calls failed. */
function describeTools(history: AnalyzedConversation['history']): string {
  const successByName = new Map<string, boolean>()
  for (const message of history) {
    if (message.role === 'tool' && message.name !== '')
      successByName.set(message.name, !isFailedToolResult(message.content))
  }
  if (successByName.size === 0) return ''
  const names = [...successByName]
    .slice(0, MAX_TOOLS)
    .map(([name, hasSucceeded]) => (hasSucceeded ? name : `${name} (failed)`))
  return `Tools used: ${joinList(names)}.`
}
