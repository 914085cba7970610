import { formShare } from './answer-form.ts'
import { daysIn } from './days.ts'
import { type MatchedStatement, matchStatements, type SlotMatch } from './match-slots.ts'
import { withNamesOf } from './named-things.ts'
import { isNarrowed } from './narrowed.ts'
import type { Statement } from './read-passage.ts'
import type { Question, Slot } from './read-question.ts'

/** One statement, or two that follow each other, with how well they answer a question. */
export interface RatedAnswer {
  readonly statements: readonly Statement[]
  /** The share of the question's weight that it is about, 0 to 1. */
  readonly coverage: number
  /** Orders answers; how sure they are is judged apart. */
  readonly rank: number
  readonly signs: Signs
  /** Words of the question that only what it stands under says. */
  readonly fromAbove: readonly Slot[]
  /** Words of the question that only the sentences before it say. */
  readonly fromBefore: readonly Slot[]
}

/** What speaks for an answer beside its coverage. */
export interface Signs {
  /** How well it shows the form of answer that is asked for, 0 to 1; 1 when none is. */
  readonly form: number
  /** How well its own words or what it stands under say the best of what is asked about, 0 to 1. */
  readonly topic: number
  /** Names of the question, all of which it stands under or says. */
  readonly names: number
  /** Something that is asked about is not there. */
  readonly misses: boolean
  /** The very thing that is asked for is not there. */
  readonly lacksThing: boolean
  /** Nothing but names and days is asked about, and the form of the answer: all of it is there. */
  readonly plain: boolean
}

const nameNeeded = 0.6
const shareOfAbove = 0.95
const shareOfBefore = 0.8
const shareOfGroup = 0.3
const shareOfAround = 0.2

function best({ own, above, before, group, around }: SlotMatch, { kind }: Slot): number {
  const near = Math.max(own, above * shareOfAbove, before * shareOfBefore)
  // A name in another sentence may be that of something else.
  return kind === 'name' ? near : Math.max(near, group * shareOfGroup, around * shareOfAround)
}

/** Rates all statements, and pairs of neighbours, that are about what the question names; best first. */
export function rateStatements(asked: Question, passages: readonly (readonly Statement[])[]): RatedAnswer[] {
  const question = withNamesOf(asked, passages)
  const matched = matchStatements(question, passages)
  const weights = weigh(question, matched.flat())
  const rated: RatedAnswer[] = []
  for (const [passageRank, own] of matched.entries()) {
    for (const [position, first] of own.entries()) {
      const next = own[position + 1]
      for (const window of next !== undefined && belongTogether(first, next) ? [[first], [first, next]] : [[first]]) {
        const answer = rate(question, window, { weights, passageRank })
        if (answer !== null) rated.push(answer)
      }
    }
  }
  return rated.sort((left, right) => right.rank - left.rank)
}

function belongTogether({ statement }: MatchedStatement, { statement: next }: MatchedStatement): boolean {
  return statement.group === next.group && statement.cells.length === 0 && next.cells.length === 0
}

/** What few statements are about tells more than what many are about. */
function weigh({ slots }: Question, statements: readonly MatchedStatement[]): readonly number[] {
  const most = Math.log((statements.length + 1) / 0.5)
  return slots.map((slot, at) => {
    const count = statements.filter(({ slots: found }) => {
      const match = found[at]
      return match !== undefined && Math.max(match.own, match.above) > 0.5
    }).length
    const rarity = Math.max(0, Math.log((statements.length + 1) / (count + 0.5)) / most)
    if (slot.optional && count === 0) return 0
    if (slot.kind === 'light') return slot.weight * 0.5
    return slot.weight * (slot.kind === 'name' ? rarity : 0.3 + 0.7 * rarity)
  })
}

interface Scene {
  readonly weights: readonly number[]
  readonly passageRank: number
}

/** What the words of a question come to in a window, added up. */
interface Sums {
  weight: number
  covered: number
  own: number
  /** Weight of what is asked about, without names and light words. */
  topics: number
  topic: number
  /** How well the names are said, all together, how many they are, and the weight of the most telling one. */
  said: number
  names: number
  telling: number
  misses: boolean
  lacksThing: boolean
  readonly fromAbove: Slot[]
  readonly fromBefore: Slot[]
}

function matchOf(at: number, [first, second]: readonly MatchedStatement[]): SlotMatch {
  const match = first?.slots[at] ?? { own: 0, above: 0, before: 0, group: 0, around: 0 }
  const own = second?.slots[at]?.own ?? 0
  return own > match.own ? { ...match, own } : match
}

/** Holds the words of a question against a window; `null` when it is not about what the question names. */
function sumSlots(
  { slots }: Question,
  window: readonly MatchedStatement[],
  { weights, shows }: Scene & { readonly shows: boolean },
): Sums | null {
  const topics = slots.filter(({ kind, form }) => kind === 'topic' && !form)
  const hasTopic = topics.some(({ optional }) => !optional)
  // A verb alone is not what anything is about, unless nothing else is asked.
  const heaviest = Math.max(0, ...topics.map(({ weight }) => weight))
  const sums: Sums = {
    weight: 0,
    covered: 0,
    own: 0,
    topics: 0,
    topic: 0,
    said: 0,
    names: 0,
    telling: 0,
    misses: false,
    lacksThing: false,
    fromAbove: [],
    fromBefore: [],
  }
  for (const [at, slot] of slots.entries()) {
    const match = matchOf(at, window)
    const share = slot.form && shows ? 1 : best(match, slot)
    const weight = weights[at] ?? 0
    if (slot.required && share < 0.5) sums.lacksThing = true
    if (slot.kind !== 'light' && !slot.form && match.own < 0.6) {
      if (match.above >= 0.6) sums.fromAbove.push(slot)
      else if (match.before >= 0.6) sums.fromBefore.push(slot)
    }
    if (slot.kind === 'name') {
      if (share < nameNeeded) return null
      sums.names += 1
      sums.said += Math.max(match.own, match.above * 0.9, match.before * 0.7)
      sums.telling = Math.max(sums.telling, weight)
      continue
    }
    // What only says the form of the answer is no subject of it.
    if (slot.form && hasTopic) continue
    // A verb says little where it is missing, and much where it is there.
    const factor = slot.kind === 'topic' && slot.weight < 0.8 && share > 0.7 ? 2 : 1
    sums.weight += weight * factor
    sums.covered += weight * factor * share
    sums.own += weight * factor * (slot.form && shows ? 1 : match.own)
    if (slot.kind !== 'topic' || slot.form) continue
    if (slot.weight > 0.9 && share < 0.5) sums.misses = true
    sums.topics += weight
    const telling = slot.optional || slot.weight > heaviest * 0.7 || sums.names > 0
    if (telling) sums.topic = Math.max(sums.topic, match.own, match.above * 0.9)
  }
  return sums
}

/** How well a text fits the weekdays of a question: `null` when it names none, else 0 to 1. */
function daysFit(days: ReadonlySet<number>, text: string): number | null {
  const named = daysIn(text)
  if (named.size === 0) return null
  return [...days].every((day) => named.has(day)) ? 1 : [...days].some((day) => named.has(day)) ? 0.7 : 0
}

/** Adds what a window says of the days of a question; false when it says something else or nothing that would do. */
function addDays(sums: Sums, { days, form }: Question, first: Statement, text: string): boolean {
  if (days.size === 0) return true
  const fit = daysFit(days, text) ?? daysFit(days, `${first.label} ${first.passage.headings.join(' ')}`)
  // Whether something is so on a day, only a sentence about days can say.
  if (fit === 0 || (fit === null && (form === null || form === 'time'))) return false
  sums.weight += 1
  sums.covered += fit ?? 0.1
  sums.own += fit ?? 0
  return true
}

/** What has to be done stands first under the heading that says what it is for. */
function opensSteps({ howTo }: Question, { follows }: Statement, { fromAbove }: Sums): boolean {
  return howTo && follows === 0 && fromAbove.length > 0
}

function rate(question: Question, window: readonly MatchedStatement[], scene: Scene): RatedAnswer | null {
  const [first] = window
  if (first === undefined) return null
  const statements = window.map(({ statement }) => statement)
  const text = statements.map((statement) => statement.text).join(' ')
  const { form } = question
  const shown = form === null ? 1 : formShare(text, form)
  const sums = sumSlots(question, window, { ...scene, shows: form !== null && shown > 0 })
  if (sums === null || !addDays(sums, question, first.statement, text)) return null
  if (sums.weight === 0 && sums.names === 0) return null
  const said = sums.names === 0 ? 0 : sums.said / sums.names
  // A name says which, not what: it counts only where nothing is missing of what is asked about it.
  const telling = sums.misses ? 0 : sums.telling
  const weight = sums.weight + telling
  const coverage = weight === 0 ? 1 : (sums.covered + telling) / weight
  const ownShare = weight === 0 ? 1 : (sums.own + telling * said) / weight
  const signs: Signs = {
    form: shown,
    topic: sums.topic,
    names: sums.names,
    misses: sums.misses,
    lacksThing: sums.lacksThing,
    plain: sums.topics === 0 && (sums.names > 0 || question.days.size > 0) && form !== null && shown > 0,
  }
  const rank =
    coverage +
    0.3 * ownShare +
    0.3 * said +
    (form === null ? 0 : 0.15 * shown - (signs.form === 0 ? 0.4 : 0)) -
    (sums.lacksThing ? 0.3 : 0) +
    0.1 * Math.min(1, Math.max(0, first.statement.passage.score)) -
    0.02 * scene.passageRank -
    (opensSteps(question, first.statement, sums) ? -0.2 : 0) -
    // Under a heading that says what was asked, more belongs to the answer than one sentence.
    (window.length - 1) * (ownShare < 0.3 && sums.fromAbove.length > 0 ? -0.03 : 0.06) -
    0.01 * Math.min(4, first.statement.position) -
    (isNarrowed(first.statement, question) ? 0.08 : 0) -
    Math.min(0.05, text.length / 10_000)
  return { statements, coverage, rank, signs, fromAbove: sums.fromAbove, fromBefore: sums.fromBefore }
}
