import type { Statement } from './read-passage.ts'
import type { Question, Slot } from './read-question.ts'
import { answeringGroupsOf, synonymGroupsOf } from './synonyms.ts'
import { likeness, type Word } from './words.ts'

/** Where a word of the question is found, each 0 to 1. */
export interface SlotMatch {
  readonly own: number
  /** In what the statement stands under. */
  readonly above: number
  /** In the sentences before it in its paragraph. */
  readonly before: number
  /** In another sentence of its paragraph, list or table. */
  readonly group: number
  /** Elsewhere in the passage. */
  readonly around: number
}

/** A statement with what it says of each word of the question, in the order of the slots. */
export interface MatchedStatement {
  readonly statement: Statement
  readonly slots: readonly SlotMatch[]
}

const synonymShare = 0.9
const consideredBefore = 4

/** Holds every word of a question against every statement; passages stay apart. */
export function matchStatements(
  question: Question,
  passages: readonly (readonly Statement[])[],
): readonly (readonly MatchedStatement[])[] {
  const fits = fitsOf(question.slots, vocabularyOf(passages))
  const known = new Map<readonly Word[], readonly number[]>()
  const sharesOf = (words: readonly Word[]): readonly number[] => {
    const shares = known.get(words) ?? question.slots.map((slot, at) => shareIn(slot, words, fits[at]))
    known.set(words, shares)
    return shares
  }
  return passages.map((statements) => {
    const own = statements.map((statement) => sharesOf(statement.own))
    const around = most(own)
    const groups = new Map<number, number[]>()
    for (const [position, { group }] of statements.entries()) {
      const shares = own[position] ?? []
      groups.set(group, most([groups.get(group) ?? [], shares]))
    }
    return statements.map((statement, position): MatchedStatement => {
      const above = sharesOf(statement.above)
      const before = most(own.slice(Math.max(0, position - Math.min(statement.follows, consideredBefore)), position))
      // Rows of a table have nothing to do with each other.
      const group = statement.cells.length > 0 ? [] : (groups.get(statement.group) ?? [])
      const slots = question.slots.map((_, at) => {
        return {
          own: own[position]?.[at] ?? 0,
          above: above[at] ?? 0,
          before: before[at] ?? 0,
          group: group[at] ?? 0,
          around: around[at] ?? 0,
        }
      })
      return { statement, slots }
    })
  })
}

function vocabularyOf(passages: readonly (readonly Statement[])[]): ReadonlyMap<string, Word> {
  const vocabulary = new Map<string, Word>()
  const texts = new Set(passages.flat().flatMap(({ own, above }) => [own, above]))
  for (const words of texts) for (const word of words) vocabulary.set(word.folded, word)
  return vocabulary
}

/** For each slot the words of the passages that say it, with how well. */
function fitsOf(slots: readonly Slot[], vocabulary: ReadonlyMap<string, Word>): readonly ReadonlyMap<string, number>[] {
  return slots.map(({ word, kind }) => {
    const exact = vocabulary.has(word.folded) || [...vocabulary.values()].some(({ stem }) => stem === word.stem)
    const groups = kind === 'name' && word.capital ? [] : answeringGroupsOf(word.stem)
    const shares = new Map<string, number>()
    for (const other of vocabulary.values()) {
      const alike = likeness(word, other, !exact)
      const share = alike < synonymShare && sharesGroup(groups, other) ? synonymShare : alike
      if (share > 0) shares.set(other.folded, share)
    }
    return shares
  })
}

function sharesGroup(groups: readonly number[], { stem }: Word): boolean {
  return groups.length > 0 && synonymGroupsOf(stem).some((group) => groups.includes(group))
}

/** How well some words say what a slot asks for. */
function shareIn({ beside }: Slot, words: readonly Word[], shares: ReadonlyMap<string, number> | undefined): number {
  if (shares === undefined || shares.size === 0) return 0
  let best = 0
  for (const [position, word] of words.entries()) {
    const share = shares.get(word.folded) ?? 0
    if (share > best && (beside === null || standsBeside(beside, words, position))) best = share
  }
  return best
}

/** "L" of "Comfort L" is meant only where it stands by "Comfort", if that is there at all. */
function standsBeside(beside: Word, words: readonly Word[], position: number): boolean {
  const near = [words[position - 1], words[position - 2], words[position + 1]]
  if (near.some((word) => word !== undefined && likeness(beside, word, false) > 0.9)) return true
  return !words.some((word) => likeness(beside, word, false) > 0.9)
}

/** The highest share of each slot. */
function most(lists: readonly (readonly number[])[]): number[] {
  const highest: number[] = []
  for (const list of lists) for (const [at, share] of list.entries()) highest[at] = Math.max(highest[at] ?? 0, share)
  return highest
}
