import type { JsonValue } from '../../ports.ts'
import { type Field, splitIdentifier } from './fields.ts'
import { capitalizeName, type FoundNumber, findValues, type MessageValues } from './find-values.ts'
import { detectIntents, detectPolarity, extractContentWords, foldText, isQuestion, stripGreeting } from './intents.ts'
import { splitSentences, trimEndMarks } from './sentences.ts'

const LEAD_IN =
  /^(?:(?:it|that)(?:'s| is| would be| will be)(?! not)(?: about)?|i(?:'d| would) (?:like|love|prefer|need)(?: to (?:have|get|book|order|make))?|i(?:'ll| will) (?:take|have)|i (?:want|need|prefer|choose|have)(?: to (?:have|get|book|order|make))?|my [\w-]{1,20} is|make it|(?:to (?:go|get|travel|fly) )?to|nach|let's (?:say|do)|please|um+|uh+|well|sure|yes|yeah|ok(?:ay)?|oh|so|for|because of|about|es geht um|es ist|das ist|ich (?:möchte|hätte gerne?|brauche|habe)|wegen|am besten|gern[e]?|ja|also|bitte|für)(?:[,.]? |[,.]\s{0,5})/i
const APPOINTMENT =
  /^(?:an?|the|einen?|my|to (?:make|book) an?) (?:appointment|booking|visit|termin)\s?(?:for|about|because of|regarding|wegen|für|zur|zum)?\s?/i
const NAME_LEAD_IN =
  /^(?:(?:it's|it is|i'm|i am|my (?:full )?name(?:'s| is)|this is|that's|sure|yes|ok(?:ay)?|well|of course|ich bin|mein name ist|ich hei(?:ß|ss)e|hier ist|ja|gern|name)[,.:]?\s)/i
const UNKNOWN =
  /\b(?:(?:do not|don't|dunno|can't|cannot) ?(?:know|remember|say|tell)|no idea|not sure|wei(?:ß|ss) (?:ich )?nicht|keine ahnung)\b/i

/** Strips the surrounding words from an answer: "It's Berlin, please." becomes "Berlin". */
export function stripAnswer(text: string): string {
  let answer = stripGreeting(text.slice(0, 1_000).replaceAll('’', "'"))
  for (let pass = 0; pass < 4; pass += 1) answer = answer.replace(LEAD_IN, '')
  const subject = answer.replace(APPOINTMENT, '')
  const strippedAnswer = trimEndMarks(subject === '' ? answer : subject, '.!,;').replace(
    /[\s,]{1,3}(?:please|thanks|thank you|bitte|danke)$/i,
    '',
  )
  return trimEndMarks(strippedAnswer, '.!,;').slice(0, 300)
}

/** Returns the only choice that a text names, or `undefined` if it names none or several. */
export function findChoice(text: string, choices: readonly JsonValue[]): JsonValue | undefined {
  const padWords = (words: string): string => ` ${(foldText(words).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
  const paddedText = padWords(text)
  const pluralize = (words: string): string => words.replace(/ (?=$)/, 's ')
  const namedChoices = choices
    .map((choice) => ({ choice, words: padWords(String(choice).replaceAll('_', ' ')) }))
    .filter(({ words }) => words.trim() !== '' && (paddedText.includes(words) || paddedText.includes(pluralize(words))))
  const longestMatches = namedChoices.filter(
    (match) =>
      !namedChoices.some((otherMatch) => otherMatch !== match && otherMatch.words.includes(match.words.trim())),
  )
  if (longestMatches.length > 0) return longestMatches.length === 1 ? longestMatches[0]?.choice : undefined
  // "My tire is flat" matches the choice "flat tire".
  const scatteredMatches = choices.filter((choice) => {
    const words = padWords(String(choice).replaceAll('_', ' ')).trim().split(' ')
    return words.length > 1 && words.every((word) => paddedText.includes(` ${word} `))
  })
  return scatteredMatches.length === 1 ? scatteredMatches[0] : undefined
}

export function requiresIsoDate({ schema, description }: Field): boolean {
  return schema.format === 'date' || schema.format === 'date-time' || /yyyy|iso/i.test(description)
}

function joinDateTime(field: Field, { dates: [date], times: [time], text }: MessageValues): string | undefined {
  if (requiresIsoDate(field)) return date?.iso && time ? `${date.iso}T${time.value}:00` : undefined
  if (date === undefined) return time?.text
  const dayPeriod = /\b(?:morning|afternoon|evening|vormittags?|nachmittags?|abends?)\b/i.exec(text)?.[0]
  return time === undefined
    ? `${date.text}${dayPeriod === undefined ? '' : ` ${dayPeriod}`}`
    : `${date.text} ${time.text}`
}

/** Returns a value of the field's kind that a message states without being asked, or `undefined` if nothing is certain. */
export function findStatedValue(field: Field, values: MessageValues): JsonValue | undefined {
  const { text, dates, times } = values
  switch (field.kind) {
    case 'email':
      return values.emails[0]
    case 'phone':
      return values.phones[0]
    case 'url':
      return values.urls[0]
    case 'reference':
      return values.references[0]
    case 'address':
      return values.address ?? undefined
    case 'name':
      return extractNamePart(field, values.name)
    case 'date':
      return dates[0] === undefined
        ? undefined
        : requiresIsoDate(field)
          ? (dates[0].iso ?? undefined)
          : (toIsoIfAbsolute(dates[0]) ?? dates[0].text)
    case 'time':
      return times[0] === undefined
        ? undefined
        : field.schema.format === 'time'
          ? `${times[0].value}:00`
          : times[0].value
    case 'date-time':
      return joinDateTime(field, values)
    case 'choice':
      return findChoice(text, field.choices)
    case 'boolean':
      return findMention(field, text)
    case 'number':
      return findCount(field, values.numbers)
    default:
      return findLabeledText(field, text)
  }
}

/** Returns a date in ISO form, or `null` for a weekday, which stays as the user said it. */
function toIsoIfAbsolute({ iso, text }: { readonly iso: string | null; readonly text: string }): string | null {
  return /\d/.test(text) ? iso : null
}

function extractNamePart({ label }: Field, name: string | null): string | undefined {
  if (name === null) return undefined
  if (/first|given|vorname/i.test(label)) return name.split(' ')[0]
  if (!/last|family|surname|nachname/i.test(label)) return name
  return name.includes(' ') ? name.slice(name.indexOf(' ') + 1) : undefined
}

function findMention(field: Field, text: string): boolean | undefined {
  const textWords = new Set(extractContentWords(text))
  const requiredWords = extractContentWords(splitIdentifier(field.path.at(-1) ?? ''))
  if (requiredWords.length === 0 || isQuestion(text) || !requiredWords.every((word) => textWords.has(word)))
    return undefined
  return !/\b(?:without|no|not|never|ohne|kein\w*|nicht)\b|n't\b/i.test(text.replaceAll('’', "'"))
}

const GENERAL_COUNT_WORDS: ReadonlySet<string> = new Set(
  'number quantity count amount total altogether pieces items units size ordered wanted personen anzahl insgesamt'.split(
    ' ',
  ),
)

/** Returns the number that counts the field's subject. The only number in a message matches unless it counts something else. */
function findCount(field: Field, numbers: readonly FoundNumber[]): number | undefined {
  const fieldWords = extractContentWords(
    `${splitIdentifier(field.path.at(-1) ?? '')} ${field.label} ${field.description}`,
  ).filter((word) => !GENERAL_COUNT_WORDS.has(word))
  const stems = fieldWords.map((word) => word.slice(0, Math.max(4, word.length - 2)))
  const nearbyNumbers = numbers.filter(({ before, after }) => {
    const nearbyWords = [...extractContentWords(after).slice(0, 3), ...extractContentWords(before).slice(-2)]
    return nearbyWords.some((word) => stems.some((stem) => word.startsWith(stem)))
  })
  const value = nearbyNumbers[0] ?? (numbers.length === 1 && !countsSomethingElse(numbers[0]) ? numbers[0] : undefined)
  return value !== undefined && isInRange(field, value.value) ? value.value : undefined
}

/** Whether a number counts something else. "2 hours" counts hours; "one moment" counts nothing. */
function countsSomethingElse(found: FoundNumber | undefined): boolean {
  return /^\s?(?:hours?|minutes?|days?|weeks?|months?|years?|moments?|seconds?|euros?|dollars?|€|\$|%|stunden?|tagen?|wochen?|monaten?|jahren?|moment|of (?:them|these))(?!\p{L})/iu.test(
    found?.after ?? '',
  )
}

function isInRange({ schema }: Field, value: number): boolean {
  const { minimum, maximum, type } = schema
  if (type === 'integer' && !Number.isInteger(value)) return false
  return !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum)
}

/** Returns the text after a label such as "The reason is …", or one of the field's examples. */
function findLabeledText({ label, path, examples, kind }: Field, text: string): string | undefined {
  const example = findChoice(text, examples)
  if (example !== undefined) return String(example)
  const lowercaseText = text.toLowerCase()
  for (const words of [label.toLowerCase(), splitIdentifier(path.at(-1) ?? '')]) {
    const labelIndex = words === '' ? -1 : lowercaseText.indexOf(words)
    const match =
      labelIndex < 0
        ? null
        : /^\s?(?:is|are|:|=|will be|ist)\s?["“]?([^,.;!?\n"”]{1,120})/i.exec(text.slice(labelIndex + words.length))
    if (match?.[1]?.trim()) return stripAnswer(match[1])
  }
  if (kind !== 'words') return undefined
  const reason =
    /\b(?:because(?: of)?|due to|appointment (?:for|about|because of|regarding)|termin (?:wegen|für|zur|zum)|wegen|it(?:'s| is) about|es geht um)\s([^.?!\n]{3,200})/i.exec(
      text,
    )?.[1]
  return reason === undefined || findValues(reason, null).dates[0]?.index === 0
    ? undefined
    : cutAtTime(stripAnswer(reason))
}

/** Returns the text before a time: "A cleaning on Tuesday at 3" becomes "A cleaning". */
export function cutAtTime(text: string): string | undefined {
  const { dates, times } = findValues(text, null)
  const firstIndex = Math.min(...[...dates, ...times].map(({ index }) => index), text.length)
  const precedingText = trimEndMarks(text.slice(0, firstIndex), ',').replace(
    /(?:^|\s)(?:on|at|for|this|next|am|um|an|in|and|und)$/i,
    '',
  )
  return precedingText.trim() === '' ? undefined : precedingText
}

/** Reads the user's answer to a question about this field, or returns `undefined` if the message is not an answer. */
export function readAnswer(field: Field, userText: string, values: MessageValues): JsonValue | undefined {
  const statedValue = findStatedValue(field, values)
  if (statedValue !== undefined && field.kind !== 'boolean')
    return isTimeOnly(field, userText) ? stripAnswer(userText) : statedValue
  const intents = detectIntents(userText)
  if (intents.has('cancel') || intents.has('goodbye') || UNKNOWN.test(userText)) return undefined
  const answer = stripAnswer(userText)
  switch (field.kind) {
    case 'boolean': {
      const polarity = detectPolarity(userText)
      return polarity === null ? statedValue : polarity === 'yes'
    }
    case 'number': {
      const digits = [...values.references, ...values.phones].find((digitText) => /^\d+$/.test(digitText))
      const value = values.numbers[0]?.value ?? (digits === undefined ? undefined : Number(digits))
      return value !== undefined && isInRange(field, value) ? value : undefined
    }
    case 'time': {
      const hour = /^(?:at |um )?([01]?\d|2[0-3])$/.exec(answer)?.[1]
      return hour === undefined ? undefined : `${hour.padStart(2, '0')}:00`
    }
    case 'date-time':
      return isQuestion(userText) ||
        !/\d|\b(?:morning|afternoon|evening|noon|any ?time|vormittags?|nachmittags?|abends?|jederzeit)\b/i.test(answer)
        ? undefined
        : answer
    case 'phone':
      return /^\+?[\d ()/.-]{3,40}$/.test(answer) ? answer : undefined
    case 'reference':
      return /^#?[\p{L}\d_-]{2,40}$/u.test(answer) && /\d/.test(answer) ? answer.replace(/^#/, '') : undefined
    case 'name':
      return readName(field, userText)
    case 'words':
      return isWordAnswer(userText, answer) && cutAtTime(answer) !== undefined ? answer : undefined
    case 'address':
    case 'text':
      return isWordAnswer(userText, answer) ? answer : undefined
    default:
      return undefined
  }
}

/** Whether a message contains only a time. "Any time after 4 pm" says more than its time. */
function isTimeOnly(field: Field, userText: string): boolean {
  const answer = stripAnswer(userText)
  return (
    field.kind === 'date-time' &&
    !requiresIsoDate(field) &&
    answer.split(' ').length <= 5 &&
    !/[,;.!?]|\bno\b|nein/i.test(answer)
  )
}

/** Matches a request for an appointment or a message that does not mention its subject. */
export const BARE_WISH =
  /^(?:(?:to )?(?:take|leave|make|book|schedule) )?(?:an?|the|my|einen?)? ?(?:appointment|message|call ?back|booking|termin|nachricht|rückruf)s?(?: please| vereinbaren| buchen)?$/i

function isWordAnswer(userText: string, answer: string): boolean {
  if (answer === '' || BARE_WISH.test(answer) || (isQuestion(userText) && /[?？]\s*$/.test(userText))) return false
  return (
    extractContentWords(answer).length > 0 &&
    !(
      detectPolarity(userText) !== null &&
      extractContentWords(answer).length < 2 &&
      answer.split(' ').length < 2 &&
      /^(?:yes|no|ja|nein|ok|okay|sure)$/i.test(answer)
    )
  )
}

function readName(field: Field, userText: string): string | undefined {
  if (userText.length > 200 || /[?？]/.test(userText)) return undefined
  let name = trimEndMarks(splitSentences(stripGreeting(userText.replaceAll('’', "'")))[0] ?? '', '.!,;')
  for (let pass = 0; pass < 3; pass += 1) name = name.replace(NAME_LEAD_IN, '')
  name = (name.split(/,| and | und /)[0] ?? '').trim()
  const words = name.split(/\s+/)
  if (words.length > 4 || !words.every((word) => /^\p{L}[\p{L}\p{M}'.-]*$/u.test(word))) return undefined
  if (
    (words.length === 1 && detectPolarity(name) !== null) ||
    /^(?:u+h*m*|h+m+|what|pardon|sorry|wait|none|nothing|maybe|later|was|wie|moment)$/i.test(words[0] ?? '')
  )
    return undefined
  const lightWords = words.filter(
    (word) =>
      extractContentWords(word).length === 0 &&
      !/^(?:de|del|la|van|von|der|den|di|da|le|al|may|will|mo|\p{Lu}\.?)$/iu.test(word),
  )
  return lightWords.length > 0 ? undefined : (extractNamePart(field, capitalizeName(name)) ?? capitalizeName(name))
}
