import { differByOne } from '../search-facts.ts'
import { contentTerms, tokenize } from '../tokenise.ts'
import { meaningsByPhrase, meaningsOfTerm, withoutDenied } from './vocabulary.ts'

/** What a text is about: its words and turns of phrase, each with what it may mean. */
export interface Topic {
  /** As `tokenise` gives it; for a turn of phrase its meaning. */
  readonly term: string
  readonly meanings: readonly string[]
}

const maximumTopics = 60

/** Words that say that somebody speaks or wants something, not what. */
const saying = new Set(
  tokenize(
    `user customer caller wants asks says said would like ask answer agent about is has was
    transition choose stay provided provides mention mentions report reports insist talks speak speaks states thing things something
    anything somebody someone anybody anyone actually really maybe already currently kind kinds sort type able try trying let lets
    please give gave tell told call calling called case whether either possible again now today one else further more`,
  ),
)
const telling = new Set(tokenize('existing already again before new first one'))

/** The topics of a text, each once. */
export function topicsOf(text: string): Topic[] {
  const topics = new Map<string, Topic>()
  const bounded = text.slice(0, 4_000)
  const plain = withoutDenied(bounded)
  for (const term of [...contentTerms(plain), ...tokenize(plain).filter((one) => telling.has(one))]) {
    if ((saying.has(term) && !telling.has(term)) || /^\d+$/.test(term) || topics.size >= maximumTopics) continue
    topics.set(term, { term, meanings: meaningsOfTerm(term) })
  }
  for (const meaning of meaningsByPhrase(bounded)) topics.set(meaning, { term: meaning, meanings: [meaning] })
  return [...topics.values()]
}

/** How far two topics are the same, 0 to 1. */
export function likeness(left: Topic, right: Topic): number {
  if (left.term === right.term) return 1
  if (left.meanings.some((meaning) => right.meanings.includes(meaning))) return 0.85
  if (left.term.length < 5 || right.term.length < 5 || left.term.startsWith('~') || right.term.startsWith('~')) return 0
  if (left.term.startsWith(right.term) || right.term.startsWith(left.term)) return 0.8
  return differByOne(left.term, right.term) ? 0.75 : 0
}

/** How far a topic is among others, 0 to 1. */
export function presence(topic: Topic, others: readonly Topic[]): number {
  let best = 0
  for (const other of others) {
    best = Math.max(best, likeness(topic, other))
    if (best === 1) break
  }
  return best
}

/** The weighted share of `wanted` that `present` covers, 0 to 1. */
export function share(wanted: readonly Topic[], present: readonly Topic[], weigh: (topic: Topic) => number): number {
  let sum = 0
  let total = 0
  for (const topic of wanted) {
    const weight = weigh(topic)
    total += weight
    sum += weight * presence(topic, present)
  }
  return total === 0 ? 0 : sum / total
}
