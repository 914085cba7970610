import type { PersonalRange } from './personal-ranges.ts'

/** Names of people, where somebody says that it is one. */

const CERTAIN_LEAD =
  /(?<!\p{L})(?:my (?:full |first |last |middle )?name(?:['’]s| is)|(?:i am|i['’]m) called|(?:the|under the) name(?:['’]s| is| of)?|name\s?:|call me|mein name ist|ich hei(?:ß|ss)e|je m['’]appelle|me llamo|mi nombre es|mi chiamo)\s+/giu
/** After these only what looks like a whole name counts. */
const VAGUE_LEAD = /(?<!\p{L})(?:i am|i['’]m|this is|speaking with|it['’]s)\s+/giu
const TITLED =
  /(?<!\p{L})(?:Mrs?|Ms|Miss|Dr|Herr|Frau|Madame|Monsieur|Señora?)\.?\s+(\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+){0,2})/gu
const WORD = /\p{L}[\p{L}\p{M}'’-]*(?:\.(?=\s\p{Lu}))?/uy
const MOST_WORDS = 4

/** Words that do not belong to a name, whatever they follow. */
const NO_NAME =
  /^(?:and|my|i|from|with|at|on|in|for|the|a|an|to|please|calling|speaking|here|email|e-mail|phone|number|but|or|born|und|aus|not|no|yes|ok|okay|back|later|when|if|tomorrow|today|asap|again|now|anytime|soon|it|that|is|was|so|just|still|very|really|you|your|me|he|she|they|we|what|who|which|of)$/i
const PARTICLE = /^(?:de|del|della|la|le|van|von|der|den|di|da|dos|el|al|bin|ibn|zu|ter|ten)$/i
const CALENDAR =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$|^(?:january|february|march|april|june|july|august|september|october|november|december)$/i

/** Names that somebody gives, or that stand behind a title. */
export function findNames(text: string): PersonalRange[] {
  const found: PersonalRange[] = []
  for (const lead of text.matchAll(CERTAIN_LEAD)) {
    const range = nameAt(text, lead.index + lead[0].length, false)
    if (range !== null) found.push(range)
  }
  for (const lead of text.matchAll(VAGUE_LEAD)) {
    const start = lead.index + lead[0].length
    const range = nameAt(text, start, true)
    if (range !== null && isWholeName(text, range)) found.push(range)
  }
  for (const { index, 0: match, 1: name = '' } of text.matchAll(TITLED)) {
    found.push({ start: index + match.length - name.length, end: index + match.length, category: 'person_name' })
  }
  return found
}

const NAME_QUESTION =
  /(?<!\p{L})(?:(?:your|the) (?:full |first |last |family )?name|who am i (?:speaking|talking)|whom am i|wie hei(?:ß|ss)en sie|ihr name|votre nom|su nombre)(?!\p{L})/iu
const ANSWER_LEAD = /^(?:(?:it['’]s|it is|sure|yes|ok(?:ay)?|well|of course|i['’]m|i am)[,.!]?\s+)+/i

/** An answer that is nothing but a name, to the question for one. */
export function findAnsweredName(text: string, asked: string): PersonalRange[] {
  if (!NAME_QUESTION.test(asked)) return []
  const lead = /^\s*/.exec(text)?.[0].length ?? 0
  const start = lead + (ANSWER_LEAD.exec(text.slice(lead))?.[0].length ?? 0)
  const range = nameAt(text, start, false)
  return range === null || !/^[\s.,!]*(?:please|here|thanks?(?: you)?)?[\s.!]*$/i.test(text.slice(range.end))
    ? []
    : [range]
}

/** The words of a name at a place, as far as they can belong to one. */
function nameAt(text: string, start: number, capitalised: boolean): PersonalRange | null {
  let end = start
  let position = start
  for (let count = 0; count < MOST_WORDS; count += 1) {
    WORD.lastIndex = position
    const word = WORD.exec(text)?.[0]
    if (word === undefined || NO_NAME.test(word) || CALENDAR.test(word)) break
    if (capitalised && !/^\p{Lu}/u.test(word) && !PARTICLE.test(word)) break
    if (!PARTICLE.test(word)) end = position + word.length
    position += word.length
    const space = /^[ \u00a0]+/.exec(text.slice(position, position + 3))?.[0].length ?? 0
    if (space === 0) break
    position += space
  }
  return end === start ? null : { start, end, category: 'person_name' }
}

/** "I'm German" names nobody: it takes two words, or one that introduces its owner. */
function isWholeName(text: string, { start, end }: PersonalRange): boolean {
  return (
    /\s/.test(text.slice(start, end)) || /^,?\s(?:here|calling|speaking)(?!\p{L})/iu.test(text.slice(end, end + 12))
  )
}
