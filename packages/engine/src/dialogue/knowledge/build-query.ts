import type { WeightedText } from '../../ports.ts'
import type { HistoryMessage } from '../conversation.ts'

/** Characters of a message that are searched for: a question fits in, a pasted letter does not drown it. */
const LONGEST_TEXT = 1000

/** Fewer words than this rarely say what they are about. */
const FEW_WORDS = 5

/** Words that continue what was said before, or stand for it. */
const CONTINUES =
  /^\s*(?:and|or|but|also|then|what about|how about|und|oder|aber|auch|et|ou|mais|aussi|y|o|pero|también|e|ed|en|of|maar)\b/iu
const STANDS_FOR =
  /\b(?:it|its|that|this|those|these|they|them|their|there|one|ones|same|else|other|das|dies\w*|sie|ihn|dort|davon|dazu|daf[uü]r|ça|cela|celui|celle|ceux|eux|eso|esto|esa|ese|ellos|ello|allí)\b/iu

/**
 * What an older text counts beside the newest; the nearest first. Chosen on the questions of `testing/knowledge`: more finds
 * hardly more of what goes on from before, and loses what changes the subject.
 */
interface Weights {
  readonly users: readonly number[]
  readonly agent: number
}

/** A question that stands for itself: what came before only breaks ties. */
const COMPLETE: Weights = { users: [0.2], agent: 0 }
/** One that does not: it is read with what it goes on from. */
const ELLIPTIC: Weights = { users: [0.5, 0.2], agent: 0.1 }

/**
 * What to search for before an answer: the user's last words, and with less weight those before them, so that "and on
 * Sundays?" finds what it is about. The prompt takes no part. Empty when the user has said nothing.
 */
export function buildQuery(messages: readonly HistoryMessage[]): readonly WeightedText[] {
  const said = messages.flatMap((message) => {
    const isSpoken = message.role === 'user' || message.role === 'assistant'
    return isSpoken && message.content.trim() !== '' ? [{ role: message.role, content: message.content }] : []
  })
  const last = said.findLastIndex(({ role }) => role === 'user')
  const current = said[last]?.content
  if (current === undefined) return []
  const weights = isElliptic(current) ? ELLIPTIC : COMPLETE
  const before = said.slice(0, last).reverse()
  const users = before.filter(({ role }) => role === 'user')
  const agent = before.find(({ role }) => role === 'assistant')
  const older = users
    .slice(0, weights.users.length)
    .map(({ content }, index) => weigh(content, weights.users[index] ?? 0))
  const answer = agent === undefined || weights.agent === 0 ? [] : [weigh(agent.content, weights.agent)]
  return [weigh(current, 1), ...older, ...answer]
}

function weigh(text: string, weight: number): WeightedText {
  // Of a long message the end is nearest to the question.
  return { text: text.slice(-LONGEST_TEXT), weight }
}

function isElliptic(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0
  // Scripts without spaces: a text of some length says what it is about.
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)) return text.length < 8
  return words < FEW_WORDS || CONTINUES.test(text) || (words < 2 * FEW_WORDS && STANDS_FOR.test(text))
}
