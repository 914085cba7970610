import type { Statement } from './read-passage.ts'
import type { Question } from './read-question.ts'
import { synonymGroupsOf } from './synonyms.ts'

/** Reads as names what the documents write as names: people write "lagos" and "express" in small letters. */
export function withNamesOf(question: Question, passages: readonly (readonly Statement[])[]): Question {
  // German writes every noun with a capital letter.
  if (question.language === 'de') return question
  const written = new Map<string, boolean>()
  const asked = new Set(question.slots.filter(({ kind }) => kind === 'topic').map(({ word }) => word.folded))
  if (asked.size === 0) return question
  for (const { own } of passages.flat())
    for (const word of own)
      if (asked.has(word.folded)) {
        if (word.capital) written.set(word.folded, written.get(word.folded) ?? true)
        else if (word.raw !== word.raw.toUpperCase() && /^\p{Ll}/u.test(word.raw)) written.set(word.folded, false)
      }
  const slots = question.slots.map((slot) => {
    const named = slot.kind === 'topic' && !slot.optional && !slot.form && written.get(slot.word.folded) === true
    return named && synonymGroupsOf(slot.word.stem).length === 0 ? { ...slot, kind: 'name' as const, weight: 1 } : slot
  })
  return { ...question, slots }
}
