import type { JsonObject, JsonValue } from '../../ports.ts'
import { askField } from './ask-field.ts'
import { countsFor, fieldsAskedFor, numericFields } from './asked-fields.ts'
import { extractValues, type MessageValues } from './extract-values.ts'
import { bareAnswer, readAnswer, valuesFor } from './read-answer.ts'
import type { Exchange } from './read-messages.ts'
import { type Field, isObject } from './schema-fields.ts'
import { tokenize } from './tokenise.ts'

/** What is known for a tool call, and which required fields are not. */
export interface Filling {
  readonly args: JsonObject
  readonly missing: readonly Field[]
  /** How many fields got their value from what the user said. */
  readonly known: number
}

/** Kinds that stay true for the whole conversation; the others are taken only from what was said since the last tool call. */
const lasting: ReadonlySet<string> = new Set([
  'email',
  'phone',
  'name',
  'first-name',
  'last-name',
  'address',
  'reference',
])

const freeText: ReadonlySet<string> = new Set(['text', 'own-words', 'place', 'address', 'list'])
const requestForm = /\b(?:i want|i'd like|i would like|i need|can you|could you|can i|could i)\b/i

/** Whether a text of the agent ends with the question for this field. */
export function asksForField(text: string, field: Field): boolean {
  return text.trimEnd().endsWith(askField(field))
}

/** Whether a value keeps to the limits of the field's schema (as far as they matter before the real validation). */
export function isAllowed(field: Field, value: JsonValue): boolean {
  const { minimum, maximum, minLength, maxLength, pattern } = field.schema
  if (field.choices.length > 0 && field.kind === 'choice' && !field.choices.includes(value)) return false
  if (typeof value === 'number') {
    if (field.type === 'integer' && !Number.isInteger(value)) return false
    return !(typeof minimum === 'number' && value < minimum) && !(typeof maximum === 'number' && value > maximum)
  }
  if (typeof value !== 'string') return true
  if (
    (typeof minLength === 'number' && value.length < minLength) ||
    (typeof maxLength === 'number' && value.length > maxLength)
  )
    return false
  // Only patterns that cannot backtrack badly are tried: the schema is a customer's.
  if (typeof pattern !== 'string' || pattern.length > 100 || value.length > 100 || /\)[*+{?]/.test(pattern)) return true
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

function typed(field: Field, value: JsonValue): JsonValue {
  return field.kind === 'number' && field.type === 'string' ? String(value) : value
}

/** By exchange: many questions are asked of the same messages, and reading one costs more than all else. */
const read = new WeakMap<Exchange, { readonly today: string | null; readonly values: MessageValues }>()

function readValues(exchange: Exchange, today: string | null): MessageValues {
  const known = read.get(exchange)
  if (known !== undefined && known.today === today) return known.values
  const values = extractValues(exchange.said, today)
  read.set(exchange, { today, values })
  return values
}

/** Fills the fields of a tool from what the user said; nothing is made up. `since` is the first exchange of this request. */
export function fillArguments(
  fields: readonly Field[],
  exchanges: readonly Exchange[],
  since: number,
  today: string | null,
): Filling {
  const found = new Map<Field, JsonValue>()
  const used = new Map<Exchange, readonly Field[]>()
  for (const field of fields) if (field.constant !== undefined) found.set(field, field.constant)
  for (let position = exchanges.length - 1; position >= 0; position--) {
    const exchange = exchanges[position]
    if (exchange === undefined || exchange.asked === '') continue
    const exact = fields.find((one) => asksForField(exchange.asked, one))
    const asked = exact === undefined ? fieldsAskedFor(exchange.asked, fields) : [exact]
    const answered: Field[] = []
    for (const field of asked) {
      if (found.has(field) || (position < since && !lasting.has(field.kind))) continue
      // A new request after somebody else's question is no answer to it, nor are all words the answer to each of several.
      const own = exact !== undefined || (asked.length === 1 && !requestForm.test(exchange.said))
      if ((!own && freeText.has(field.kind)) || answered.some(({ kind }) => kind === field.kind)) continue
      const answer = readAnswer(field, exchange.said, readValues(exchange, today))
      if (answer === undefined || !isAllowed(field, answer)) continue
      if (saysChoiceOf(fields, field, exchange.said)) continue
      found.set(field, typed(field, answer))
      answered.push(field)
    }
    used.set(exchange, answered)
  }
  const values = exchanges.map((exchange) => readValues(exchange, today))
  for (let position = exchanges.length - 1; position >= 0; position--) {
    const exchange = exchanges[position]
    const message = values[position]
    if (exchange === undefined || message === undefined) continue
    assign(
      fields.filter((field) => !found.has(field) && (position >= since || lasting.has(field.kind))),
      message,
      used.get(exchange) ?? [],
      found,
    )
  }
  for (const field of fields) {
    if (found.has(field)) continue
    const value =
      field.kind === 'date-time'
        ? joinDateTime(field, values.slice(since))
        : wholeRequest(field, exchanges[since]?.said ?? '')
    if (value !== undefined && isAllowed(field, value)) found.set(field, value)
  }
  const known = [...found.keys()].filter((field) => field.constant === undefined).length
  return { args: nest(found), missing: fields.filter((field) => field.required && !found.has(field)), known }
}

const namedFreely: ReadonlySet<string> = new Set([...freeText, 'name', 'first-name', 'last-name'])

/** Whether all that was said is a choice of another field, and so no name or text for this one. */
function saysChoiceOf(fields: readonly Field[], field: Field, said: string): boolean {
  if (!namedFreely.has(field.kind)) return false
  const answer = tokenize(bareAnswer(said)).join(' ')
  return fields.some(
    (other) =>
      other !== field &&
      (other.kind === 'choice' || other.kind === 'choices') &&
      other.choices.some((choice) => tokenize(String(choice).replaceAll('_', ' ')).join(' ') === answer),
  )
}

/** Gives the values of one message to the fields still open; values of one kind in the order of the fields. */
function assign(
  open: readonly Field[],
  message: MessageValues,
  answered: readonly Field[],
  found: Map<Field, JsonValue>,
): void {
  const taken = new Map<string, number>()
  for (const { kind } of answered) taken.set(kind, 1)
  const numeric = numericFields(open)
  for (const field of open) {
    if (field.kind === 'number') {
      if (taken.has('number')) continue
      const digits = message.references.filter((reference) => /^\d+$/.test(reference)).map(Number)
      const fitting = countsFor(field, message.numbers, numeric.length === 1 && numeric[0] === field)
      const value = [...fitting, ...(/\b(?:number|id|no|code)\b/.test(field.label) ? digits : [])].find((one) =>
        isAllowed(field, one),
      )
      if (value !== undefined) found.set(field, typed(field, value))
      continue
    }
    if (answered.length > 0 && (field.kind === 'text' || field.kind === 'place' || field.kind === 'own-words')) continue
    const slot = field.kind === 'choice' || field.kind === 'boolean' ? field.path.join('.') : field.kind
    const position = taken.get(slot) ?? 0
    const value = valuesFor(field, message)[position]
    if (value === undefined || !isAllowed(field, value)) continue
    found.set(field, value)
    taken.set(slot, position + 1)
  }
}

function joinDateTime(field: Field, messages: readonly MessageValues[]): string | undefined {
  const date = messages.findLast((message) => message.dates.length > 0)?.dates[0]
  const time = messages.findLast((message) => message.times.length > 0)?.times[0]
  if (date === undefined || time === undefined) return undefined
  if (date.iso !== null) return `${date.iso}T${time.value}:00`
  return field.schema.format === undefined ? `${date.text} ${time.value}` : undefined
}

/** A field that asks for the request itself gets the user's own words. */
function wholeRequest(field: Field, said: string): string | undefined {
  const wanted =
    /^(?:query|question|search|request|issue|problem|inquiry|summary|topic|user_?(?:query|question|request|message))(?:_?(?:query|text|term|description|summary))?$/i
  return field.kind === 'own-words' && wanted.test(field.path[field.path.length - 1] ?? '') && said.trim() !== ''
    ? said.trim().slice(0, 1_000)
    : undefined
}

function nest(found: ReadonlyMap<Field, JsonValue>): JsonObject {
  const root: Record<string, JsonValue> = {}
  for (const [field, value] of found) {
    let target = root
    for (const name of field.path.slice(0, -1)) {
      const next = target[name]
      const inner: Record<string, JsonValue | undefined> = isObject(next) ? { ...next } : {}
      target[name] = inner as JsonObject
      target = inner as Record<string, JsonValue>
    }
    target[field.path[field.path.length - 1] ?? ''] = value
  }
  return root
}
