import type { JsonObject, JsonValue } from '../../ports.ts'
import { type Field, isObject, splitIdentifier } from './fields.ts'
import { findValues, type MessageValues } from './find-values.ts'
import { extractContentWords, isQuestion } from './intents.ts'
import {
  BARE_WISH,
  cutAtTime,
  findChoice,
  findStatedValue,
  readAnswer,
  requiresIsoDate,
  stripAnswer,
} from './read-answer.ts'
import { splitSentences } from './sentences.ts'

/** A user message together with the agent's preceding message. */
export interface Exchange {
  readonly agent: string
  readonly user: string
}

/** The values found for a set of fields. */
export interface FillResult {
  readonly values: ReadonlyMap<Field, JsonValue>
  /** Required fields without a value. */
  readonly missing: readonly Field[]
}

export interface FillOptions {
  /** Today's date as `YYYY-MM-DD`, or `null` if unknown. */
  readonly today: string | null
  /** Index of the current request's first exchange. Earlier exchanges provide only contact details. */
  readonly requestStart?: number
  /** Whether a message about a free-text field becomes its value if there is no better match. */
  readonly acceptsText?: boolean
  /** Returns the field that an agent's text asks for, or `undefined` if that is unknown. */
  readonly findAskedField?: (asked: string) => Field | undefined
}

const CONTACT_KINDS: ReadonlySet<string> = new Set(['email', 'phone', 'name', 'address', 'reference'])
const CUES: Readonly<Partial<Record<Field['kind'], RegExp>>> = {
  email: /\be-?mail/i,
  phone: /phone|\bmobile\b|\breach you\b|\bcall you back\b|telefon|nummer|erreichen|\bnumber\b(?! of)/i,
  name: /\bname\b|\bnamen\b|who is (?:calling|speaking)|wie hei(?:ß|ss)/i,
  date: /\bwhen\b|\bday\b|\bdate\b|\bwann\b|\btag\b|datum/i,
  time: /\btime\b|\bwhen\b|\bwann\b|uhrzeit/i,
  'date-time': /\bwhen\b|\bday\b|\btime\b|\bwann\b|\btag\b|uhrzeit|\bzeit\b/i,
  number: /\bhow (?:many|old|much)\b|wie (?:viele?|alt)|anzahl|\bnumber of\b/i,
  address: /\baddress\b|adresse|\bwhere\b/i,
  words:
    /\bwhat\b.{0,60}\b(?:about|for|wrong|help|need|happened|message)\b|\bwhy\b|\breason\b|worum|wofür|anliegen|\bwas\b/i,
}

/** Returns the fields that the agent's last question or request names. */
function findAskedFields(agentText: string, fields: readonly Field[], acceptsText: boolean): Field[] {
  const question = splitSentences(agentText.slice(-600)).findLast(
    (sentence) => sentence.endsWith('?') || /\b(?:tell|give|please|nennen|sagen)\b/i.test(sentence),
  )
  if (question === undefined) return []
  const words = new Set(extractContentWords(question))
  const namedFields = fields.filter((field) => {
    const nameWords = extractContentWords(splitIdentifier(field.path.at(-1) ?? ''))
    return nameWords.length > 0 && nameWords.every((word) => words.has(word))
  })
  const cuedFields = fields.filter((field) => CUES[field.kind]?.test(question) === true)
  const askedFields = [...new Set([...namedFields, ...cuedFields])]
  if (askedFields.length > 0) return askedFields
  const textFields = fields.filter(({ kind }) => kind === 'text' || kind === 'words')
  const relatedFields = textFields.filter(({ label, description }) =>
    extractContentWords(`${label} ${description}`).some((word) => words.has(word)),
  )
  if (relatedFields.length === 1) return relatedFields
  return acceptsText && fields.length === 1 ? textFields : []
}

const cachedValues = new WeakMap<Exchange, { readonly today: string | null; readonly values: MessageValues }>()

/** Returns the values found in an exchange, cached after the first read. */
export function getMessageValues(exchange: Exchange, today: string | null): MessageValues {
  const cachedEntry = cachedValues.get(exchange)
  if (cachedEntry !== undefined && cachedEntry.today === today) return cachedEntry.values
  const values = findValues(exchange.user, today)
  cachedValues.set(exchange, { today, values })
  return values
}

/** Fills fields from the user's words, newest first, and never invents values. */
export function fillFields(fields: readonly Field[], exchanges: readonly Exchange[], options: FillOptions): FillResult {
  const { today, requestStart = 0, acceptsText = false } = options
  const filledValues = new Map<Field, JsonValue>()
  for (let position = exchanges.length - 1; position >= 0; position -= 1) {
    const exchange = exchanges[position]
    if (exchange === undefined) continue
    const emptyFields = fields.filter(
      (field) => !filledValues.has(field) && (position >= requestStart || CONTACT_KINDS.has(field.kind)),
    )
    if (emptyFields.length > 0) fillFromExchange(exchange, { fields, emptyFields, filledValues, options })
  }
  const recentExchanges = exchanges.slice(requestStart)
  for (const field of fields) {
    if (field.kind === 'date-time' && !requiresIsoDate(field) && filledValues.has(field))
      filledValues.set(field, joinDateAndTime(filledValues.get(field) ?? '', recentExchanges, today))
    if (!acceptsText || filledValues.has(field) || (field.kind !== 'words' && field.kind !== 'text')) continue
    const words = findDescription(field, exchanges)
    if (words !== undefined) filledValues.set(field, words)
  }
  return { values: filledValues, missing: fields.filter((field) => field.required && !filledValues.has(field)) }
}

interface FillContext {
  readonly fields: readonly Field[]
  readonly emptyFields: readonly Field[]
  readonly filledValues: Map<Field, JsonValue>
  readonly options: FillOptions
}

/** Kinds that one message may provide for several fields. */
const SHAREABLE_KINDS: ReadonlySet<string> = new Set(['choice', 'boolean'])
const FREE_TEXT_KINDS: ReadonlySet<string> = new Set(['text', 'words', 'address', 'name'])

function fillFromExchange(exchange: Exchange, { fields, emptyFields, filledValues, options }: FillContext): void {
  const values = getMessageValues(exchange, options.today)
  const knownField = options.findAskedField?.(exchange.agent)
  const askedFields =
    knownField === undefined ? findAskedFields(exchange.agent, fields, options.acceptsText === true) : [knownField]
  const filledKinds = new Set<string>()
  for (const field of askedFields.filter((askedField) => emptyFields.includes(askedField))) {
    const isFree = FREE_TEXT_KINDS.has(field.kind)
    // A vague answer cannot answer several questions at once.
    const isVague =
      isFree && knownField === undefined && askedFields.length > 1 && findStatedValue(field, values) === undefined
    if (isVague || filledKinds.has(field.kind)) continue
    const answer = readAnswer(field, exchange.user, values)
    if (answer === undefined || (isFree && selectsOtherField(fields, field, exchange.user))) continue
    filledValues.set(field, toSchemaType(field, answer))
    filledKinds.add(field.kind)
  }
  for (const field of emptyFields) {
    if (filledValues.has(field) || (filledKinds.has(field.kind) && !SHAREABLE_KINDS.has(field.kind))) continue
    const value = findStatedValue(field, values)
    if (value === undefined) continue
    filledValues.set(field, toSchemaType(field, value))
    filledKinds.add(field.kind)
  }
}

/** Joins a value with later corrections: "Tuesday at 3", corrected by "no, at 4", is Tuesday at 4. */
function joinDateAndTime(value: JsonValue, exchanges: readonly Exchange[], today: string | null): JsonValue {
  const currentValues = findValues(String(value), today)
  if (currentValues.dates.length > 0 && currentValues.times.length > 0) return value
  const parts = exchanges.map((exchange) => getMessageValues(exchange, today))
  const date = parts.findLast(({ dates }) => dates.length > 0)?.dates[0]
  const time = parts.findLast(({ times }) => times.length > 0)?.times[0]
  return date === undefined || time === undefined || currentValues.times.length + currentValues.dates.length === 0
    ? value
    : `${date.text} ${time.text}`
}

const STORY_REQUEST = /\b(?:book|schedule|need|want) (an? (?!appointment|table|slot|meeting)[^.?!\n]{3,100})/i

/** Returns the newest message about the field's subject, or about what the user wants to have. */
function findDescription(
  { label, description, path, kind }: Field,
  exchanges: readonly Exchange[],
): string | undefined {
  const words = extractContentWords(`${splitIdentifier(path.at(-1) ?? '')} ${label} ${description}`)
  const stems = words.map((word) => word.slice(0, 4))
  const relatedExchange = exchanges.findLast(
    ({ user: userText }) =>
      !isQuestion(userText) && extractContentWords(userText).some((word) => stems.includes(word.slice(0, 4))),
  )
  const wish =
    kind === 'words'
      ? exchanges
          .map(({ user: userText }) => STORY_REQUEST.exec(userText.slice(0, 1_000))?.[1])
          .findLast((wishText) => wishText !== undefined)
      : undefined
  const text = wish ?? stripAnswer(relatedExchange?.user ?? '')
  const fieldText = kind === 'words' ? (cutAtTime(text) ?? '') : text
  return fieldText === '' || BARE_WISH.test(fieldText) ? undefined : fieldText
}

/** Whether a message only selects another field's choice, so that it cannot be this field's name or text. */
function selectsOtherField(fields: readonly Field[], field: Field, userText: string): boolean {
  const answer = stripAnswer(userText)
  return fields.some(
    (otherField) =>
      otherField !== field &&
      findChoice(answer, otherField.choices) !== undefined &&
      extractContentWords(answer).length <= 3,
  )
}

function toSchemaType(field: Field, value: JsonValue): JsonValue {
  return field.schema.type === 'string' && typeof value === 'number' ? String(value) : value
}

/** Converts values to call arguments, nested as in the schema. */
export function toArguments(values: ReadonlyMap<Field, JsonValue>): JsonObject {
  const root: Record<string, JsonValue> = {}
  for (const [{ path }, value] of values) {
    let target: Record<string, JsonValue | undefined> = root
    for (const name of path.slice(0, -1)) {
      const nestedValue = target[name]
      const nestedObject: Record<string, JsonValue | undefined> = isObject(nestedValue) ? { ...nestedValue } : {}
      target[name] = nestedObject as JsonObject
      target = nestedObject
    }
    target[path.at(-1) ?? ''] = value
  }
  return root
}
