import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import type { HistoryMessage } from '../conversation.ts'

/** Maximum length of searched text, taken from the end of a message, which is closest to the question. */
const MAX_CURRENT_CHARACTERS = 12_000
const MAX_EARLIER_CHARACTERS = 1000
const MAX_ANSWER_CHARACTERS = 300

/** Weights of earlier messages, newest first. Earlier messages often name the place or product. */
const USER_WEIGHTS: readonly number[] = [0.3, 0.2, 0.1]
const AGENT_WEIGHTS: readonly number[] = [0.3, 0.2]

/**
 * Builds the search query from the user's last message and earlier messages with lower weights, so that "and on Sundays?" finds
 * its subject. Excludes the prompt. Returns newest messages first, or nothing if there is no user message.
 */
export function buildQuery(messages: readonly HistoryMessage[]): readonly WeightedText[] {
  const texts = messages.flatMap((message) => {
    const isSpoken = message.role === 'user' || message.role === 'assistant'
    return isSpoken && message.content.trim() !== '' ? [{ role: message.role, content: message.content }] : []
  })
  const lastUserIndex = texts.findLastIndex(({ role }) => role === 'user')
  const currentMessage = texts[lastUserIndex]?.content
  if (currentMessage === undefined) return []
  const weights = { user: [...USER_WEIGHTS], assistant: [...AGENT_WEIGHTS] }
  const earlierTexts = texts
    .slice(0, lastUserIndex)
    .reverse()
    .flatMap(({ role, content }) => {
      const weight = weights[role].shift()
      const text = content.slice(role === 'user' ? -MAX_EARLIER_CHARACTERS : -MAX_ANSWER_CHARACTERS)
      return weight === undefined ? [] : [{ text, weight }]
    })
  return [{ text: currentMessage.slice(-MAX_CURRENT_CHARACTERS), weight: 1 }, ...earlierTexts]
}
