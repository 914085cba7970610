import { formShare } from './answer-form.ts'
import { daysIn } from './days.ts'
import type { Statement } from './read-passage.ts'
import type { Question, Slot } from './read-question.ts'
import { synonymGroupsOf } from './synonyms.ts'
import { likeness, type Word } from './words.ts'

/** Where a word of the question is found, each 0 to 1. */
export interface SlotMatch {
  readonly own: number
  readonly above: number
  readonly before: number
  /** In another sentence of its paragraph. */
  readonly group: number
  /** Elsewhere in the passage. */
  readonly around: number
}

const synonymShare = 0.9

/** Compares words of one question with words of passages, each pair once. */
export function createMatcher(question: Question, statements: readonly Statement[]) {
  const vocabulary = new Map<string, Word>()
  for (const { own, above } of statements)
    for (const words of [own, above]) for (const word of words) vocabulary.set(word.folded, word)
  const fits = new Map<string, Map<string, number>>()
  for (const slot of question.slots) {
    const exact = [...vocabulary.values()].some((word) => likeness(slot.word, word, false) > 0.9)
    const groups = slot.kind === 'name' && slot.word.capital ? [] : synonymGroupsOf(slot.word.stem)
    const shares = new Map<string, number>()
    for (const word of vocabulary.values()) {
      const alike = likeness(slot.word, word, !exact)
      const share =
        alike < synonymShare && groups.length > 0 && synonymGroupsOf(word.stem).some((group) => groups.includes(group))
          ? synonymShare
          : alike
      if (share > 0) shares.set(word.folded, share)
    }
    fits.set(slot.word.folded, shares)
  }

  /** How well some words say what a slot asks for. */
  const shareIn = (slot: Slot, words: readonly Word[]): number => {
    const shares = fits.get(slot.word.folded)
    if (shares === undefined || shares.size === 0) return 0
    let best = 0
    for (const [position, word] of words.entries()) {
      const share = shares.get(word.folded) ?? 0
      if (share <= best) continue
      if (slot.beside !== null && !standsBeside(slot.beside, words, position)) continue
      best = share
    }
    return best
  }
  return { shareIn }
}

/** "L" of "Comfort L" is meant only where it stands by "Comfort", if that is there at all. */
function standsBeside(beside: Word, words: readonly Word[], position: number): boolean {
  const near = [words[position - 1], words[position - 2], words[position + 1]]
  if (near.some((word) => word !== undefined && likeness(beside, word, false) > 0.9)) return true
  return !words.some((word) => likeness(beside, word, false) > 0.9)
}

/** How well a text fits the weekdays of a question: `null` when it names none, else 0 or 1. */
export function daysFit(days: ReadonlySet<number>, text: string): number | null {
  const named = daysIn(text)
  if (named.size === 0) return null
  return [...days].every((day) => named.has(day)) ? 1 : [...days].some((day) => named.has(day)) ? 0.7 : 0
}

/** How well a text shows the form of answer that is asked for, 0 to 1. */
export function formShown({ form }: Question, text: string): number {
  return form === null ? 1 : formShare(text, form)
}
