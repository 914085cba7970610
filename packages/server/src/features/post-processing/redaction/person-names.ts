import type { PersonalRange } from './word-patterns.ts'

/** Phrases that introduce a name. */
const NAME_INTRODUCTION =
  /(?<!\p{L})(?:my (?:full |first |last |middle )?name(?:['’]s| is)|(?:i am|i['’]m) called|(?:the|under the) name(?:['’]s| is| of)?|name\s?:|call me|(?:mein|der) (?:vor|nach)?name (?:ist|lautet|war)|ich hei(?:ß|ss)e|auf den namen|je m['’]appelle|mon (?:nom|prénom)(?: de famille)? (?:est|c['’]est)|au nom de|me llamo|mi (?:nombre|apellido) es|a nombre de|mi chiamo|il mio (?:nome|cognome) è|a nome(?: di)?|ik heet|mijn (?:voor|achter)?naam is|op naam van)\s+/giu
/** Phrases after which only a full name matches. */
const VAGUE_INTRODUCTION =
  /(?<!\p{L})(?:i am|i['’]m|this is|speaking with|it['’]s|ich bin|hier (?:ist|spricht|is)|je suis|ici|c['’]est|soy|habla|sono|qui (?:è|parla)|ik ben|u spreekt met)\s+/giu
/** Phrases that introduce a speaker, after which a single name is enough. */
const SPEAKER_PHRASE = /spricht|habla|parla|spreekt/i
const TITLED_NAME =
  /(?<!\p{L})(?:Mrs?|Ms|Miss|Dr|Prof|Herrn?|Frau|Familie|Madame|Monsieur|Mademoiselle|Mme|Mlle|Señor(?:a|ita)?|Sra?|Don|Doña|Signor(?:a|e|ina)?|Sig(?:\.ra)?|Dott(?:\.ssa)?|Meneer|Mevrouw|Dhr|Mevr?)\.?\s+(\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+){0,2})/gu
/** A name spelled letter by letter: P-E-T-R-O-V. */
const SPELLED_NAME =
  /(?<!\p{L})(?:spell(?:ed|s|t|ing)?|buchstabier[et]|buchstabiert|s['’](?:écrit|épelle)|se escribe|si scrive|gespeld|spel)[^\n[]{0,20}?(?<!\p{L})(\p{L}(?:(?:[ -]|, ?|\. ?)\p{L}(?!\p{L})){2,30})/giu
const NAME_WORD = /\p{L}[\p{L}\p{M}'’-]*(?:\.(?=\s\p{Lu}))?/uy
const MAX_WORDS = 4

/** Words that are never part of a name. */
const NOT_A_NAME = new RegExp(
  `^(?:${[
    'and|my|i|from|with|at|on|in|for|the|a|an|to|please|calling|speaking|here|email|e-mail|phone|number|but|or|born|not|no|yes|ok|okay|back|later|when|if|tomorrow|today|asap|again|now|anytime|soon|it|that|is|was|so|just|still|very|really|you|your|me|he|she|they|we|what|who|which|of|spelled|spelt|written',
    'und|aus|ich|bin|mit|am|im|bitte|habe|hab|möchte|brauche|wohne|rufe|meine?|hier|guten|aber|oder|nicht|wegen|geschrieben|buchstabiert',
    'et|je|j|avec|pour|mon|ma|bonjour|mais|ou|habite|voudrais|merci|svp|est',
    'y|yo|con|mi|quiero|necesito|vivo|llamo|hola|buenos|buenas|pero|gracias|tengo',
    'e|ed|ho|vorrei|abito|chiamo|per|sono|ma|grazie|buongiorno|desidero',
    'en|ik|heb|wil|mijn|woon|bel|maar|of|graag|dank|goedemorgen|goedemiddag',
  ].join('|')})$`,
  'i',
)
const NAME_PARTICLE = /^(?:de|del|della|la|le|van|von|der|den|di|da|dos|el|al|bin|ibn|zu|ter|ten)$/i
const CALENDAR_WORD =
  /^(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|lunedì|martedì|mercoledì|giovedì|venerdì|maandag|dinsdag|woensdag|donderdag|vrijdag)$|^(?:mon|tues|wednes|thurs|fri|satur|sun)day$|^(?:january|february|march|april|june|july|august|september|october|november|december)$/i

/** Finds introduced names and names after a title. */
export function findNames(text: string): PersonalRange[] {
  const ranges: PersonalRange[] = []
  for (const introduction of text.matchAll(NAME_INTRODUCTION)) {
    const range = findNameAt(text, introduction.index + introduction[0].length, false)
    if (range !== null) ranges.push(range)
  }
  for (const introduction of text.matchAll(VAGUE_INTRODUCTION)) {
    const start = introduction.index + introduction[0].length
    const range = findNameAt(text, start, true)
    if (range !== null && (isWholeName(text, range) || SPEAKER_PHRASE.test(introduction[0]))) ranges.push(range)
  }
  for (const { index, 0: match, 1: name = '' } of [...text.matchAll(TITLED_NAME), ...text.matchAll(SPELLED_NAME)]) {
    ranges.push({ start: index + match.length - name.length, end: index + match.length, category: 'person_name' })
  }
  return ranges
}

const NAME_QUESTION =
  /(?<!\p{L})(?:(?:your|the) (?:full |first |last |family )?name|who am i (?:speaking|talking)|whom am i|wie hei(?:ß|ss)en sie|(?:ihre?n?|dein|der) (?:vollständige[rn]? )?(?:vor|nach)?namen?|mit wem spreche|(?:votre|quel) (?:nom|prénom)|(?:su|tu|el) (?:nombre|apellido)|cómo se llama|comment vous appelez|(?:suo|tuo) (?:nome|cognome)|come si chiama|(?:uw|je) (?:voor|achter|volledige )?naam|hoe heet (?:u|je))(?!\p{L})/iu
const ANSWER_PREFIX =
  /^(?:(?:it['’]s|it is|sure|yes|ok(?:ay)?|well|of course|i['’]m|i am|ja|gerne?|klar|also|das ist|ich bin|oui|bien sûr|c['’]est|sí|claro|soy|certo|sì|sono|graag|dat is)[,.!]?\s+)+/i
/** Finds a name in the answer to a question about the name. */
export function findAnsweredName(text: string, question: string): PersonalRange[] {
  if (!NAME_QUESTION.test(question)) return []
  const leadingSpace = /^\s*/.exec(text)?.[0].length ?? 0
  const start = leadingSpace + (ANSWER_PREFIX.exec(text.slice(leadingSpace))?.[0].length ?? 0)
  const range = findNameAt(text, start, false)
  return range === null ||
    !/^[\s.,!]*(?:(?:please|here|thanks?(?: you)?|bitte|danke|merci|por favor|gracias|grazie|per favore|alstublieft|dank u)[\s.!]*)?$/i.test(
      text.slice(range.end),
    )
    ? []
    : [range]
}

/** Returns the range of a name at a position, or null if there is none. */
function findNameAt(text: string, start: number, requiresCapital: boolean): PersonalRange | null {
  let end = start
  let position = start
  for (let count = 0; count < MAX_WORDS; count += 1) {
    NAME_WORD.lastIndex = position
    const word = NAME_WORD.exec(text)?.[0]
    if (word === undefined || NOT_A_NAME.test(word) || CALENDAR_WORD.test(word)) break
    if (requiresCapital && !/^\p{Lu}/u.test(word) && !NAME_PARTICLE.test(word)) break
    if (!NAME_PARTICLE.test(word)) end = position + word.length
    position += word.length
    const space = /^[ \u00a0]+/.exec(text.slice(position, position + 3))?.[0].length ?? 0
    if (space === 0) break
    position += space
  }
  return end === start ? null : { start, end, category: 'person_name' }
}

/** Whether the range is a full name: several words, or one word before "here", "calling" or "speaking". */
function isWholeName(text: string, { start, end }: PersonalRange): boolean {
  const name = text.slice(start, end).replace(/^(?:der|den|la|le|el) /, '')
  return /\s/.test(name) || /^,?\s(?:here|calling|speaking)(?!\p{L})/iu.test(text.slice(end, end + 12))
}
