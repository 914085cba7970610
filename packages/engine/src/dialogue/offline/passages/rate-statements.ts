import { createMatcher, daysFit, formShown, type SlotMatch } from './match-slots.ts'
import type { Statement } from './read-passage.ts'
import type { Question, Slot } from './read-question.ts'

/** One statement, or two that follow each other, with how well they answer a question. */
export interface RatedAnswer {
  readonly statements: readonly Statement[]
  /** The share of the question's weight that it is about, 0 to 1. */
  readonly coverage: number
  /** Orders answers; coverage decides whether there is one. */
  readonly rank: number
  /** Words of the question that only what it stands under says. */
  readonly fromAbove: readonly Slot[]
  /** Words of the question that only the sentences before it say. */
  readonly fromBefore: readonly Slot[]
}

const nameNeeded = 0.6
const shareOfAbove = 0.95
const shareOfBefore = 0.8
/** What other sentences say and this one does not is missing all the more. */
const elsewhereFactor = 1.5
const shareOfGroup = 0.3
const shareOfAround = 0.2

/** Forms that an answer must have; of the others it is only better for having them. */
const softForms = new Set(['place', 'person'])

function best({ own, above, before, group, around }: SlotMatch): number {
  return Math.max(own, above * shareOfAbove, before * shareOfBefore, group * shareOfGroup, around * shareOfAround)
}

/** Rates all statements, and pairs of neighbours, that may answer the question; best first. */
export function rateStatements(question: Question, passages: readonly (readonly Statement[])[]): RatedAnswer[] {
  const statements = passages.flat()
  if (statements.length === 0) return []
  const { shareIn } = createMatcher(question, statements)
  const weights = weigh(question, statements, shareIn)
  const literal = new Set(question.slots.filter((slot) => statements.some(({ own }) => shareIn(slot, own) > 0.9)))
  const rated: RatedAnswer[] = []
  for (const [passageRank, own] of passages.entries()) {
    const everywhere = own.flatMap((statement) => statement.own)
    const groups = Map.groupBy(own, ({ group }) => group)
    for (const [position, statement] of own.entries()) {
      // Rows of a table have nothing to do with each other.
      const together = statement.cells.length > 0 ? [] : (groups.get(statement.group) ?? []).flatMap((one) => one.own)
      const next = own[position + 1]
      const windows =
        next !== undefined && next.group === statement.group && next.cells.length === 0 && statement.cells.length === 0
          ? [[statement], [statement, next]]
          : [[statement]]
      for (const window of windows) {
        const answer = rate(question, window, {
          weights,
          literal,
          shareIn,
          together,
          everywhere,
          passageRank,
          shows: false,
        })
        if (answer !== null) rated.push(answer)
      }
    }
  }
  return rated.sort((left, right) => right.rank - left.rank)
}

type ShareIn = ReturnType<typeof createMatcher>['shareIn']

/** What few statements are about tells more than what many are about. */
function weigh(question: Question, statements: readonly Statement[], shareIn: ShareIn): ReadonlyMap<Slot, number> {
  const most = Math.log((statements.length + 1) / 0.5)
  return new Map(
    question.slots.map((slot) => {
      const count = statements.filter(
        ({ own, above }) => Math.max(shareIn(slot, own), shareIn(slot, above)) > 0.5,
      ).length
      const rarity = Math.max(0, Math.log((statements.length + 1) / (count + 0.5)) / most)
      // A light word that is nowhere is most likely only worded differently.
      if (slot.optional && count === 0) return [slot, 0]
      if (slot.kind === 'light') return [slot, slot.weight * 0.5]
      return [slot, slot.weight * (slot.kind === 'name' ? rarity : 0.3 + 0.7 * rarity)]
    }),
  )
}

interface Scene {
  readonly weights: ReadonlyMap<Slot, number>
  /** What some sentence says in these words. */
  readonly literal: ReadonlySet<Slot>
  readonly shareIn: ShareIn
  readonly together: Statement['own']
  readonly everywhere: Statement['own']
  readonly passageRank: number
  /** The window shows the form of answer that is asked for. */
  readonly shows: boolean
}

function matchOf(slot: Slot, window: readonly Statement[], { shareIn, together, everywhere }: Scene): SlotMatch {
  const [first] = window
  return {
    own: Math.max(...window.map(({ own }) => shareIn(slot, own))),
    above: shareIn(slot, first?.above ?? []),
    before: shareIn(slot, first?.before ?? []),
    // A name in another sentence may be that of something else.
    group: slot.kind === 'name' ? 0 : shareIn(slot, together),
    around: shareIn(slot, everywhere),
  }
}

/** What the words of a question come to in a window, added up. */
interface Sums {
  weight: number
  covered: number
  own: number
  /** Weight of what is asked about, without names and light words. */
  topics: number
  /** How well the names are said, all together. */
  names: number
  /** Weight of the most telling name. */
  telling: number
  /** Something that is asked about is not there. */
  missing: boolean
  readonly fromAbove: Slot[]
  readonly fromBefore: Slot[]
}

/** What missing or said words count beside their weight. */
function factorOf(slot: Slot, share: number, { literal }: Scene): number {
  if (slot.kind !== 'topic') return 1
  if (!slot.form && share < 0.5 && literal.has(slot)) return elsewhereFactor
  // A verb says little where it is missing, and much where it is there.
  return slot.weight < 0.8 && share > 0.7 ? 2 : 1
}

/** Holds the words of a question against a window; `null` when a name or the very thing is missing. */
function sumSlots(question: Question, window: readonly Statement[], scene: Scene): Sums | null {
  const { shows } = scene
  const hasTopic = question.slots.some(({ kind, form, optional }) => kind === 'topic' && !form && !optional)
  const sums: Sums = {
    weight: 0,
    covered: 0,
    own: 0,
    topics: 0,
    names: 0,
    telling: 0,
    missing: false,
    fromAbove: [],
    fromBefore: [],
  }
  for (const slot of question.slots) {
    const match = matchOf(slot, window, scene)
    const answered = slot.form && shows
    const share = answered ? 1 : best(match)
    if ((slot.required && share < 0.5) || (slot.kind === 'name' && share < nameNeeded)) return null
    if (slot.kind !== 'light' && !slot.form && match.own < 0.6) {
      if (match.above >= 0.6) sums.fromAbove.push(slot)
      else if (match.before >= 0.6) sums.fromBefore.push(slot)
    }
    if (slot.kind === 'name') {
      sums.names += Math.max(match.own, match.above * 0.9, match.before * 0.7)
      sums.telling = Math.max(sums.telling, scene.weights.get(slot) ?? 0)
      continue
    }
    // What only says the form of the answer is no subject of it.
    if (slot.form && hasTopic) continue
    if (slot.kind === 'topic' && slot.weight > 0.9 && share < 0.5) sums.missing = true
    const weight = (scene.weights.get(slot) ?? slot.weight) * factorOf(slot, share, scene)
    sums.weight += weight
    sums.covered += weight * share
    sums.own += weight * (answered ? 1 : match.own)
    if (slot.kind === 'topic' && !slot.form) sums.topics += weight
  }
  return sums
}

/** Adds what a window says of the days of a question; false when it says something else or nothing that would do. */
function addDays(sums: Sums, question: Question, first: Statement, text: string): boolean {
  if (question.days.size === 0) return true
  const fit =
    daysFit(question.days, text) ?? daysFit(question.days, `${first.label} ${first.passage.headings.join(' ')}`)
  // Whether something is so on a day, only a sentence about days can say.
  if (fit === 0 || (fit === null && (question.form === null || question.form === 'time'))) return false
  sums.weight += 1
  sums.covered += fit ?? 0.1
  sums.own += fit ?? 0
  return true
}

function rate(question: Question, window: readonly Statement[], scene: Scene): RatedAnswer | null {
  const [first] = window
  if (first === undefined) return null
  const text = window.map((statement) => statement.text).join(' ')
  const formFit = formShown(question, text)
  const { form } = question
  if (formFit === 0 && form !== null && !softForms.has(form)) return null
  const named = question.slots.filter(({ kind }) => kind === 'name').length
  const sums = sumSlots(question, window, { ...scene, shows: formFit > 0 })
  if (sums === null || !addDays(sums, question, first, text) || (sums.weight === 0 && named === 0)) return null
  const said = named === 0 ? 0 : sums.names / named
  // A name says which, not what: it counts only where nothing is missing of what is asked about it.
  const telling = sums.missing ? 0 : sums.telling
  const weight = sums.weight + telling
  const covered = weight === 0 ? 1 : (sums.covered + telling) / weight
  // Only names, and the form of the answer: "How far can I ride with the X3?"
  const plain = sums.topics === 0 && named > 0 && form !== null && formFit > 0
  const coverage = plain ? Math.max(0.8, covered) : covered
  const ownShare = weight === 0 ? 1 : (sums.own + telling * said) / weight
  const rank =
    coverage +
    0.3 * ownShare +
    0.3 * said +
    (form === null ? 0 : 0.15 * formFit) +
    0.1 * Math.min(1, Math.max(0, first.passage.score)) -
    0.02 * scene.passageRank -
    // Under a heading that says what was asked, more belongs to the answer than one sentence.
    (window.length - 1) * (ownShare < 0.3 ? -0.03 : 0.06) -
    0.01 * Math.min(4, first.position) -
    (narrows(question, first) ? 0.08 : 0) -
    Math.min(0.05, text.length / 10_000)
  return { statements: window, coverage, rank, fromAbove: sums.fromAbove, fromBefore: sums.fromBefore }
}

const narrowing =
  /^(?:for|on|in|during|if|für|bei|am|an|im|wenn|pour|le|les|en|si|para|los|las)\b.{0,60}?\b(?:child\p{L}*|kids|students?|seniors?|pensioners?|members?|groups?|kinder\p{L}*|studierende\p{L}*|senior\p{L}*|mitglieder\p{L}*|enfants?|étudiants?|niñ[oa]s|estudiantes|socios)(?!\p{L})/iu

/** Whether a statement only holds for some people or days that nobody asked about. */
function narrows(question: Question, { text, cells }: Statement): boolean {
  if (cells.length > 0) return false
  if (question.days.size === 0 && /^(?:on|am|le|les|los|el) /i.test(text) && daysFit(new Set([0]), text) !== null)
    return true
  const found = narrowing.exec(text)?.[0].toLowerCase()
  return found !== undefined && !question.slots.some(({ word }) => found.includes(word.folded.slice(0, 5)))
}
