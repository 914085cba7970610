import { daysIn } from './days.ts'
import type { Statement } from './read-passage.ts'
import type { Question } from './read-question.ts'

const someDays = /^(?:on|am|le|les|los|el) /i
const somePeople =
  /^(?:for|on|in|during|if|für|bei|am|an|im|wenn|pour|le|les|en|si|para|los|las)\b.{0,60}?\b(?:child\p{L}*|kids|students?|seniors?|pensioners?|members?|groups?|kinder\p{L}*|studierende\p{L}*|senior\p{L}*|mitglieder\p{L}*|enfants?|étudiants?|niñ[oa]s|estudiantes|socios)(?!\p{L})/iu

/** Whether a statement only holds for some people or days that the question does not speak of. */
export function isNarrowed({ text, cells }: Statement, { days, slots }: Question): boolean {
  if (cells.length > 0) return false
  if (days.size === 0 && someDays.test(text) && daysIn(text).size > 0) return true
  const found = somePeople.exec(text)?.[0].toLowerCase()
  return found !== undefined && !slots.some(({ word }) => found.includes(word.folded.slice(0, 5)))
}
