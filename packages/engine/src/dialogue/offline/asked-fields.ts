import type { FoundNumber } from './extract-values.ts'
import { asksOpenly } from './routing/stance.ts'
import { presence, topicsOf } from './routing/topics.ts'
import { type Field, type FieldKind, readFields, wordsOf } from './schema-fields.ts'
import { splitSentences } from './split-sentences.ts'
import { stopWords } from './stop-words.ts'
import { contentTerms, tokenize } from './tokenise.ts'

const vague = new Set(tokenize('user customer caller full id number your preferred the guest patient has have is of'))
const requesting =
  /^(?:(?:and|then|thank you|thanks|great|sure|ok(?:ay)?|perfect|good|now)[\s,.!]+)*(?:please|tell me|give me|kindly|i(?:'ll| will)? need|share|provide|enter|let me know)\b/i

/** Words by which a question asks for a kind of value. */
const cues: Readonly<Partial<Record<FieldKind, RegExp>>> = {
  email: /\be-?mail\b/i,
  phone: /\b(?:tele)?phone\b|\bmobile\b|\breach you\b|\bcall you (?:back|on)\b/i,
  name: /\byour (?:full |whole )?name\b|\bname (?:on|of|for)\b|\bwho am i\b|\bwho is (?:calling|speaking)\b|\bunder (?:which|what) name\b/i,
  date: /\bwhen\b|\b(?:what|which)(?: \w+){0,2} (?:day|date)\b|\bdate\b|\bday (?:would|do|shall|should|is|suits)\b/i,
  time: /\b(?:what|which) time\b|\bwhen\b/i,
  'date-time': /\bwhen\b/i,
  number: /\bhow (?:many|old)\b/i,
  address: /\baddress\b|\bwhere (?:do|shall|should|can|may|are|is|to)\b/i,
}

function questionIn(text: string): string | null {
  const sentences = splitSentences(text.slice(-600))
  return sentences.findLast((sentence) => sentence.endsWith('?') || requesting.test(sentence)) ?? null
}

/** The fields that the agent's last question names, however it is worded. */
export function fieldsAskedFor(text: string, fields: readonly Field[]): Field[] {
  const question = questionIn(text)
  if (question === null) return []
  const terms = new Set(tokenize(question))
  const topics = topicsOf(question)
  const named = fields.filter((field) => {
    const needed = neededTerms(field)
    return needed.length > 0 && needed.every((term) => terms.has(term))
  })
  const cued = fields.filter(
    (field) =>
      !named.includes(field) &&
      cues[field.kind]?.test(question) === true &&
      fields.filter(({ kind }) => kind === field.kind).length === 1 &&
      (!/birth/.test(field.label) || /\b(?:birth|born)\b/i.test(question)),
  )
  if (named.length + cued.length > 0) return [...named, ...cued]
  const inWords = fields.filter(({ kind }) => kind === 'own-words')
  const alike = inWords.filter((field) => topicsOf(field.label).some((topic) => presence(topic, topics) >= 0.8))
  if (alike.length === 1) return alike
  return inWords.length === 1 && asksOpenly(question) ? inWords : []
}

function neededTerms(field: Field): string[] {
  const words = wordsOf(field.path[field.path.length - 1] ?? '')
  const own = contentTerms(words).filter((term) => !vague.has(term))
  return own.length > 0 ? own : tokenize(words).filter((term) => !vague.has(term))
}

/** The fields that plain numbers may belong to: the required ones, or all when none is. */
export function numericFields(fields: readonly Field[]): Field[] {
  const numeric = fields.filter((field) => field.kind === 'number')
  const required = numeric.filter((field) => field.required)
  return required.length > 0 ? required : numeric
}

/** The numbers that count what the field counts; the only number of a message for the `only` field, unless it counts something else. */
export function countsFor(field: Field, numbers: readonly FoundNumber[], only: boolean): number[] {
  const own = topicsOf(`${field.label} ${wordsOf(field.path[field.path.length - 1] ?? '')}`)
  const near = numbers.filter((found) => {
    const around = [...tokenize(found.after).slice(0, 2), ...tokenize(found.before).slice(-3)]
    return (
      around.some((term) => field.terms.has(term)) ||
      topicsOf(`${found.after.split(/\s+/).slice(0, 3).join(' ')}`).some((topic) => presence(topic, own) >= 0.8)
    )
  })
  if (near.length > 0) return near.map((found) => found.value)
  if (countsAnything(field)) return numbers.filter(countsThings).map((found) => found.value)
  const single = numbers.length === 1 ? numbers[0] : undefined
  if (!only || single === undefined || countsElse(single)) return []
  return single.inWords && single.value === 1 ? [] : [single.value]
}

const generalCount = new Set(
  tokenize(
    'how many much quantity quantities amount count number of the a total pieces piece items item units unit things products product ordered wanted requested desired order user customer wants like would to be is are',
  ),
)

/** "Quantity", "how many", "number of items": of what, is left open. */
function countsAnything(field: Field): boolean {
  const words = wordsOf(field.path[field.path.length - 1] ?? '')
  return (
    /\b(?:quantity|how many|number of|count|amount|pieces|items|units)\b/i.test(`${words} ${field.description}`) &&
    tokenize(`${words} ${field.description}`).every((term) => generalCount.has(term))
  )
}

const measure =
  /^(?:seconds?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?|o['’]?clock|am|pm|euros?|eur|dollars?|usd|bucks|pounds?|cents?|percent|degrees?|km|kilomet\w+|miles?|met(?:er|re)s?|cm|mm|kg|kilos?|grams?|lit(?:er|re)s?|times?|people|persons?|guests?|adults?|child(?:ren)?|kids|of us|moments?|questions?|more|st|nd|rd|th)\b/i

/** "3 croissants" counts croissants; "at 3", "3 hours" and "one moment" count nothing that one asks for. */
function countsThings({ value, before, after }: FoundNumber): boolean {
  const counted = /^\s+(\p{L}[\p{L}'’-]+)/u.exec(after)?.[1] ?? ''
  if (counted === '' || measure.test(after.trim()) || stopWords.has(counted.toLowerCase())) return false
  if (
    /[€$£]\s*$|\b(?:at|by|until|till|from|since|no\.?|number|nr\.?|room|table|street|line|after|before|the|this|that)\s*$/i.test(
      before,
    )
  )
    return false
  return (
    value > 0 &&
    Number.isInteger(value) &&
    (value > 1 || /\b(?:like|want|order|take|have|need|get|buy|me|and)\s*$/i.test(before))
  )
}

/** "2 hours" counts hours. */
function countsElse({ after }: FoundNumber): boolean {
  const unit = /^\s*(\p{L}{3,})/u.exec(after)?.[1]?.toLowerCase() ?? ''
  return /[^s]s$/.test(unit) && !stopWords.has(unit)
}

/** What a question may ask for apart from any tool: values that are recognised wherever they are said. */
const plainFields: readonly Field[] = readFields({
  type: 'object',
  properties: {
    email: { type: 'string' },
    phone: { type: 'string' },
    name: { type: 'string' },
    date: { type: 'string' },
    time: { type: 'string' },
    number: { type: 'number' },
    address: { type: 'string' },
  },
})

/** The values that a question asks for by its words alone ("For which day …?"). */
export function plainFieldsAskedFor(question: string): Field[] {
  return fieldsAskedFor(question, plainFields)
}
