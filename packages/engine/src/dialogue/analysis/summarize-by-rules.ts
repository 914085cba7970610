import { intentsOf, withoutGreeting } from '../offline/intents.ts'
import { joinAsSpoken, shorten, splitSentences } from '../offline/split-sentences.ts'
import { contentTerms } from '../offline/tokenise.ts'
import type { AnalyzedConversation } from './analyzed-conversation.ts'
import { hasFailed } from './detect-success.ts'

const QUOTE_CHARACTERS = 240
const MAX_TOOLS = 5

/** The telling parts of a conversation in the words of those who held it: nothing that could be untrue. */
export function summarizeByRules({ history, endedBy }: AnalyzedConversation): string | null {
  const user = history.flatMap(({ role, content }) =>
    role === 'user' && content.trim() !== '' ? [content.trim()] : [],
  )
  const agent = history.flatMap(({ role, content }) =>
    role === 'assistant' && content.trim() !== '' ? [content.trim()] : [],
  )
  if (user.length === 0) return agent.length === 0 ? null : 'The user said nothing.'
  const request = requestOf(user)
  const outcome = outcomeOf(agent)
  const sentences = [`The user wrote: “${request}”`]
  const turn = turnOf(user, request)
  if (turn !== null) sentences.push(`Later: “${turn}”`)
  const tools = toolsOf(history)
  if (tools !== '') sentences.push(tools)
  if (outcome !== null) sentences.push(`The agent’s last statement: “${outcome}”`)
  if (endedBy === 'agent') sentences.push('The agent ended the conversation.')
  if (endedBy === 'silence') sentences.push('It was ended because nobody wrote any more.')
  return sentences.join(' ')
}

/** The first message that is about something. */
function requestOf(said: readonly string[]): string {
  const about = said.find((text) => contentTerms(withoutGreeting(text)).length >= 2) ?? said[0] ?? ''
  return shorten(toSingleLine(about), QUOTE_CHARACTERS)
}

/** What the user asked for after that, if the words are mostly others. */
function turnOf(said: readonly string[], request: string): string | null {
  const before = new Set(contentTerms(request))
  const later = said.slice(1).findLast((text) => {
    const terms = contentTerms(text)
    const isNew = terms.filter((term) => !before.has(term)).length
    const intents = intentsOf(text)
    return terms.length >= 4 && isNew >= terms.length / 2 && !intents.has('thanks') && !intents.has('goodbye')
  })
  if (later === undefined) return null
  const text = shorten(toSingleLine(later), QUOTE_CHARACTERS)
  return text === request || text === '' ? null : text
}

/** The last thing that the agent stated; its questions and goodbyes only when there is nothing else. */
function outcomeOf(said: readonly string[]): string | null {
  const sentences = said.slice(-6).flatMap((text) => splitSentences(toSingleLine(text.slice(0, 4_000))))
  const telling = sentences.findLast(
    (sentence) => !/[?？]["”’)]*$/.test(sentence) && contentTerms(sentence).length >= 3,
  )
  const chosen = telling ?? sentences.at(-1)
  return chosen === undefined ? null : shorten(chosen, QUOTE_CHARACTERS)
}

/** Tools with what became of their last calls. */
function toolsOf(history: AnalyzedConversation['history']): string {
  const outcomes = new Map<string, boolean>()
  for (const message of history) {
    if (message.role === 'tool' && message.name !== '') outcomes.set(message.name, !hasFailed(message.content))
  }
  if (outcomes.size === 0) return ''
  const names = [...outcomes].slice(0, MAX_TOOLS).map(([name, ok]) => (ok ? name : `${name} (failed)`))
  return `Tools used: ${joinAsSpoken(names)}.`
}

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
