import type { JsonValue } from '../../ports.ts'
import { splitTrimmed, trimEndMarks } from './cut-text.ts'
import { capitaliseName, type MessageValues } from './extract-values.ts'
import { intentsOf, isQuestion, polarityOf } from './intents.ts'
import { meaningsOfTerm } from './routing/vocabulary.ts'
import { type Field, wordsOf } from './schema-fields.ts'
import { stopWords } from './stop-words.ts'
import { contentTerms, foldText, stemWord, tokenize } from './tokenise.ts'

const leadIn =
  /^(?:it(?:'s|’s| is)(?! not)|that(?:'s|’s| is| would be| will be)|i(?:'d|’d| would) (?:like|love|prefer)(?: to have| to get| to book)?|i(?:'ll|’ll| will) (?:take|have)|i (?:want|need|prefer|choose)|my [\w-]+(?: [\w-]+)? is|make it|let(?:'s|’s) (?:say|do|go with)|please|um+|uh+|well|sure|yes|ok(?:ay)?|oh|so|a|an|the)(?:[,.]? +|[,.]\s*)/i
const nameLeadIn =
  /^(?:(?:it(?:'s|’s| is)|i(?:'m|’m| am)|my name(?:'s|’s| is)|this is|that(?:'s|’s| is| would be)|sure|yes|ok(?:ay)?|well|um+|uh+|of course)[,.]?\s+)+/i
const unknown =
  /\b(?:(?:do not|don't|don’t|dunno|no idea|not sure|can't|cannot) ?(?:know|remember|say|tell|sure)?|no idea|not sure)\b/i

/** An answer without the words around it: "It's Berlin, please." becomes "Berlin". */
export function bareAnswer(text: string): string {
  let answer = text.trim()
  for (let pass = 0; pass < 4; pass++) answer = answer.replace(leadIn, '')
  const plain = trimEndMarks(answer, '.!,;').replace(/\b(?:please|thanks|thank you)$/i, '')
  return trimEndMarks(plain, '.!,;').slice(0, 300)
}

/** The one choice that a text names; `undefined` when none or several are. */
export function findChoices(text: string, choices: readonly JsonValue[]): JsonValue[] {
  const said = ` ${tokenize(text).join(' ')} `
  const named = choices
    .map((choice) => ({ choice, terms: ` ${tokenize(String(choice).replaceAll('_', ' ')).join(' ')} ` }))
    .filter(({ terms }) => terms.trim() !== '' && said.includes(terms))
  return named
    .filter(
      (one) =>
        !named.some(
          (other) => other !== one && other.terms.length > one.terms.length && other.terms.includes(one.terms.trim()),
        ),
    )
    .map(({ choice }) => choice)
}

/** Whether a date must be written as `YYYY-MM-DD`. */
function wantsIso(field: Field): boolean {
  return (
    field.schema.format === 'date' ||
    field.schema.format === 'date-time' ||
    field.schema.pattern !== undefined ||
    /yyyy|iso/i.test(field.description)
  )
}

/** All values of a field's kind that a message contains, in order, as far as they are certain without a question. */
export function valuesFor(field: Field, values: MessageValues): JsonValue[] {
  switch (field.kind) {
    case 'email':
      return [...values.emails]
    case 'phone':
      return [...values.phones]
    case 'url':
      return [...values.urls]
    case 'reference':
      return [...values.references]
    case 'address':
      return values.address === null ? [] : [values.address]
    case 'date':
      return values.dates.flatMap((date) => date.iso ?? (wantsIso(field) ? [] : [date.text]))
    case 'time':
      return values.times.map((time) => (field.schema.format === 'time' ? `${time.value}:00` : time.value))
    case 'name':
      return values.name === null ? [] : [values.name]
    case 'first-name':
      return values.name === null ? [] : [values.name.split(' ')[0] ?? values.name]
    case 'last-name':
      return values.name?.includes(' ') ? [values.name.slice(values.name.indexOf(' ') + 1)] : []
    case 'choice': {
      const named = findChoices(values.text, field.choices)
      return named.length === 1 ? named : []
    }
    case 'choices': {
      const named = findChoices(values.text, field.choices)
      return named.length > 0 ? [named] : []
    }
    case 'boolean':
      return mentionOf(field, values.text)
    case 'place':
      return placesOf(field, values.text)
    case 'list':
      return values.quoted.length > 0 ? [[...values.quoted]] : []
    case 'text':
      return labelledText(field, values)
    case 'own-words':
      return ownWords(field, values)
    default:
      return []
  }
}

function mentionOf(field: Field, text: string): boolean[] {
  const said = new Set(tokenize(text))
  const words = wordsOf(field.path[field.path.length - 1] ?? '')
  const needed = contentTerms(words)
  if (needed.length === 0 || !needed.every((term) => said.has(term))) return []
  if (/\b(?:without|no|not|never|skip)\b|n['’]t\b/i.test(text)) return [false]
  return /\b(?:with|include|including|add|want|need|please|yes|have|has|got|am|i'm|is|are|did)\b/i.test(text) &&
    !isQuestion(text)
    ? [true]
    : []
}

function placesOf(field: Field, text: string): string[] {
  const preposition = field.terms.has('origin') ? 'from' : /destin/.test(field.label) ? 'to' : 'in|to|near|around|at'
  const pattern = new RegExp(`\\b(?:${preposition}) (\\p{Lu}[\\p{L}'-]+(?: \\p{Lu}[\\p{L}'-]+){0,3})`, 'gu')
  return [...text.matchAll(pattern)].map((found) => found[1] ?? '').filter((place) => !/day$/.test(place))
}

function labelledText(field: Field, values: MessageValues): string[] {
  const said = field.examples.length === 0 ? '' : ` ${tokenize(values.text).join(' ')} `
  const example = field.examples.find((one) => {
    const terms = tokenize(one)
    return terms.length > 0 && said.includes(` ${terms.join(' ')} `)
  })
  if (example !== undefined) return [example]
  const words = [field.label, (field.path[field.path.length - 1] ?? '').replaceAll('_', ' ')].map((label) =>
    label.toLowerCase(),
  )
  const lower = values.text.toLowerCase()
  for (const label of words) {
    const at = label === '' ? -1 : lower.indexOf(label)
    const found =
      at < 0
        ? null
        : /^\s*(?:is|are|:|=|will be|should be)\s*["“]?([^,.;!?\n"”]{1,120})/i.exec(
            values.text.slice(at + label.length),
          )
    if (found?.[1]?.trim()) return [bareAnswer(found[1])]
  }
  return values.quoted.slice(0, 1)
}

function ownWords(field: Field, values: MessageValues): string[] {
  if (values.quoted.length > 0) return values.quoted.slice(0, 1)
  const reason = /\b(?:because(?: of)?|due to|the reason is|reason:)\s+([^.?!\n]{3,300})/i.exec(values.text)?.[1]
  return reason !== undefined &&
    /reason|note|comment|symptom|detail|description|problem|issue/.test([...field.terms].join(' ') + field.label)
    ? [reason.trim()]
    : []
}

/** Reads what was said right after a question for this field, given the values found in it; `undefined` when it is no answer. */
export function readAnswer(field: Field, said: string, values: MessageValues): JsonValue | undefined {
  const recognised = field.kind === 'number' ? undefined : valuesFor(field, values)[0]
  if (recognised !== undefined && field.kind !== 'boolean') return recognised
  if (intentsOf(said).has('cancel') || unknown.test(said)) return undefined
  const answer = bareAnswer(said)
  switch (field.kind) {
    case 'boolean': {
      const polarity = polarityOf(said)
      return polarity === null ? recognised : polarity === 'yes'
    }
    case 'number': {
      const value =
        values.numbers[0]?.value ?? Number(values.references.find((reference) => /^\d+$/.test(reference)) ?? Number.NaN)
      if (!Number.isFinite(value)) return /^\d+$/.test(values.phones[0] ?? '') ? Number(values.phones[0]) : undefined
      return value
    }
    case 'time': {
      const hour = /^(?:at )?([01]?\d|2[0-3])$/.exec(answer)?.[1]
      return hour === undefined ? undefined : `${hour.padStart(2, '0')}:00`
    }
    case 'phone':
      return /^\+?[\d ()/.-]{5,}$/.test(answer) ? answer : undefined
    case 'reference':
      return /^#?[\p{L}\d_-]{2,40}$/u.test(answer) && /\d/.test(answer) ? answer.replace(/^#/, '') : undefined
    case 'name':
    case 'first-name':
    case 'last-name':
      // A name is not told in a long text.
      return said.length > 400 ? undefined : (readName(said) ?? readNameAmong(said, values))
    case 'address':
    case 'place':
    case 'text':
    case 'own-words':
      if (answer === '' || isQuestion(said) || (polarityOf(said) === 'no' && answer.split(' ').length < 4))
        return undefined
      return answer
    case 'list':
      return answer === '' || isQuestion(said)
        ? undefined
        : splitTrimmed(answer, /,|;|\band\b/).filter((part) => part !== '')
    default:
      return undefined
  }
}

/** The name in an answer to several questions at once: "Anna Weber, 3 May 1987, and it is urgent". */
function readNameAmong(said: string, values: MessageValues): string | undefined {
  const others = [...values.dates, ...values.times].map(({ text }) => text)
  let rest = said
  for (const other of [...others, ...values.emails, ...values.phones, ...values.references])
    rest = rest.replace(other, ', ')
  const parts = rest.split(/[,;\n.]|\band\b|\bborn\b/i).map((part) => part.trim())
  return parts
    .filter(
      (part) =>
        part !== said.trim() && /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){1,3}$/u.test(part.replace(nameLeadIn, '')),
    )
    .map(readName)
    .find((name) => name !== undefined)
}

function readName(said: string): string | undefined {
  const name = trimEndMarks(said.trim().replace(nameLeadIn, ''), '.!,;')
  const words = name.split(/\s+/)
  if (
    /^(?:u+h*m*|h+m+|e+r*m*|a+h+|huh|what|pardon|sorry|wait|none|nothing|maybe|later|hold on|one (?:second|moment))\b/i.test(
      name,
    )
  )
    return undefined
  if (words.length > 4 || !words.every((word) => /^\p{L}[\p{L}\p{M}'’.-]*$/u.test(word))) return undefined
  if (isQuestion(said) || polarityOf(name) !== null || intentsOf(said).has('greeting')) return undefined
  // "Full service" in lower case is a thing, whose last word says which.
  const last = words[words.length - 1] ?? ''
  if (words.length > 1 && name === name.toLowerCase() && meaningsOfTerm(stemWord(last)).length > 0) return undefined
  // Function words show that something else was said; "de", "van" and the like are parts of names.
  if (
    words.some(
      (word) =>
        stopWords.has(foldText(word)) && !/^(?:de|del|la|van|von|der|den|di|da|dos|el|le|al|may|will)$/i.test(word),
    )
  )
    return undefined
  return capitaliseName(name)
}
