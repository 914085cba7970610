import type { WeightedText } from '@parley/retrieval/lexical/query-words'
import type { HistoryMessage } from '../conversation.ts'

/** Characters of a message that are searched for; of a long one the end is nearest to the question. */
const MAX_CURRENT = 12_000
const MAX_BEFORE = 1000
const MAX_ANSWER = 300

/** What earlier texts count beside the newest, the nearest first: a place or product is usually named there. */
const USER_WEIGHTS: readonly number[] = [0.3, 0.2, 0.1]
const AGENT_WEIGHTS: readonly number[] = [0.3, 0.2]

/**
 * What to search for before an answer: the user's last words, and with less weight what was said before them, so that "and on
 * Sundays?" finds what it is about. The prompt takes no part. Newest first; empty when the user has said nothing.
 */
export function buildQuery(messages: readonly HistoryMessage[]): readonly WeightedText[] {
  const said = messages.flatMap((message) => {
    const isSpoken = message.role === 'user' || message.role === 'assistant'
    return isSpoken && message.content.trim() !== '' ? [{ role: message.role, content: message.content }] : []
  })
  const last = said.findLastIndex(({ role }) => role === 'user')
  const current = said[last]?.content
  if (current === undefined) return []
  const weights = { user: [...USER_WEIGHTS], assistant: [...AGENT_WEIGHTS] }
  const before = said
    .slice(0, last)
    .reverse()
    .flatMap(({ role, content }) => {
      const weight = weights[role].shift()
      const text = content.slice(role === 'user' ? -MAX_BEFORE : -MAX_ANSWER)
      return weight === undefined ? [] : [{ text, weight }]
    })
  return [{ text: current.slice(-MAX_CURRENT), weight: 1 }, ...before]
}
