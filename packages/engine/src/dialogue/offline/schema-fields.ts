import type { JsonObject, JsonValue } from '../../ports.ts'
import { tokenize } from './tokenise.ts'

/** What kind of value a field takes, which decides how it is recognised and asked for. */
export type FieldKind =
  | 'email'
  | 'phone'
  | 'url'
  | 'date'
  | 'time'
  | 'date-time'
  | 'name'
  | 'first-name'
  | 'last-name'
  | 'reference'
  | 'address'
  | 'place'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'list'
  | 'own-words'
  | 'text'
  | 'unsupported'

/** One argument of a tool, as its JSON Schema describes it. Nested objects are flattened into paths. */
export interface Field {
  readonly path: readonly string[]
  readonly kind: FieldKind
  readonly required: boolean
  readonly type: string
  /** In plain words, for questions: "delivery date". */
  readonly label: string
  readonly description: string
  /** Under which condition the value is wanted, in words; '' always. */
  readonly onlyWhen: string
  readonly examples: readonly string[]
  /** How it is asked for; '' in plain words. */
  readonly question: string
  readonly terms: ReadonlySet<string>
  readonly choices: readonly JsonValue[]
  readonly constant: JsonValue | undefined
  readonly schema: JsonObject
}

const maximumFields = 60
const maximumDescriptionChars = 2_000
const maximumNameChars = 200

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A name of code as words: `orderId` and `order_id` become "order id". */
export function wordsOf(name: string): string {
  return name
    .slice(0, maximumNameChars)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-.]+/g, ' ')
    .trim()
    .toLowerCase()
}

const kindByWords: readonly (readonly [FieldKind, RegExp])[] = [
  ['email', /\be[- ]?mail\b/],
  ['phone', /\b(?:phone|telephone|mobile|cell)\b/],
  ['url', /\b(?:url|website|link)\b/],
  ['date-time', /\b(?:date ?time|timestamp|date and time)\b/],
  ['first-name', /\b(?:first|given) ?name\b/],
  ['last-name', /\b(?:last|family|sur) ?name\b|\bsurname\b/],
  [
    'reference',
    /\b(?:order|booking|reservation|reference|confirmation|invoice|ticket|tracking|account|case|customer|patient|policy|member(?:ship)?|contract)[ -]?(?:id|number|no|code|reference|ref)\b|\b(?:reference|booking ref|tracking code)\b|\bid$/,
  ],
  [
    'name',
    /\b(?:full |customer |user |guest |patient |caller |contact )name\b|^(?:name|(?:full|your|customer|guest|patient|caller|contact) name)\b/,
  ],
  ['date', /\b(?:date|day|birthday|dob|check ?in|check ?out)\b/],
  ['time', /\btime\b(?!zone| ?zone)/],
  ['address', /\baddress\b/],
  ['place', /\b(?:city|town|location|destination|origin|country)\b/],
  [
    'own-words',
    /\b(?:message|query|question|reason|notes?|comments?|details|description|issue|problem|request|summary|symptoms?|complaint|feedback|search|inquiry|topic)\b/,
  ],
]

function kindOf(schema: JsonObject, type: string, name: string, description: string): FieldKind {
  if (Array.isArray(schema.enum)) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'array') {
    const items = schema.items
    if (isObject(items) && Array.isArray(items.enum)) return 'choices'
    return !isObject(items) || items.type === 'string' || items.type === undefined ? 'list' : 'unsupported'
  }
  if (type !== 'string') return 'unsupported'
  const format = schema.format
  if (format === 'email' || format === 'date' || format === 'time' || format === 'date-time') return format
  if (format === 'uri') return 'url'
  const words = wordsOf(name)
  const byName = kindByWords.find(([, pattern]) => pattern.test(words))
  if (byName) return byName[0]
  if (
    /\bnumber of\b|^(?:how many|quantity|count|party size)/.test(`${description.toLowerCase()}`) ||
    /\b(?:quantity|count|party size|guests|people)\b/.test(words)
  )
    return 'number'
  const byDescription = kindByWords
    .slice(0, 10)
    .find(([, pattern]) => pattern.test(description.toLowerCase().slice(0, 80)))
  return byDescription?.[0] ?? 'text'
}

function typeOf(schema: JsonObject): string {
  const type = schema.type
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return String(type.find((entry) => entry !== 'null') ?? 'string')
  return isObject(schema.properties) ? 'object' : 'string'
}

/** A description as the words for a question, when it is a short noun phrase; else the words of the name. */
function labelOf(name: string, description: string): string {
  const first = description.split(/[.(;,:]| e\.g| in (?:the )?(?:form|format)/)[0]?.trim() ?? ''
  const noun = first
    .replace(/^(?:the|a|an|your)\s+/i, '')
    .replace(/^(?:user|customer|caller|patient|guest|client)(?:'s|’s)\s+/i, '')
    .replace(/\s(?:of|for|from) (?:the )?(?:user|customer|caller|patient|guest|client)$/i, '')
    .replace(/\bid\b/gi, 'number')
    .replace(/\be-mail\b/gi, 'email')
  const words = noun.split(/\s+/)
  if (
    noun !== '' &&
    words.length <= 5 &&
    !/^(?:whether|if|what|which|how|when|where|must|optional|true|this|to)\b/i.test(noun)
  ) {
    return /^\p{Lu}\p{Ll}/u.test(noun) ? noun.charAt(0).toLowerCase() + noun.slice(1) : noun
  }
  return wordsOf(name)
    .replace(/\bid\b/g, 'number')
    .replace(/\bdob\b/g, 'date of birth')
}

/** A description without the condition and the examples that it may end with. */
function readDescription(written: string): Pick<Field, 'description' | 'onlyWhen' | 'examples'> {
  const [described = '', shown = ''] = written.split(/(?:^|\s)For example: /, 2)
  const [description = '', onlyWhen = ''] = described.split(/(?:^|\s)Only when: /, 2)
  const examples = shown.split(';').map((example) => example.trim().replace(/\.$/, ''))
  return { description, onlyWhen, examples: examples.filter((example) => example !== '').slice(0, 50) }
}

function readField(path: readonly string[], schema: JsonObject, required: boolean): Field {
  const name = path[path.length - 1] ?? ''
  const written = typeof schema.description === 'string' ? schema.description.slice(0, maximumDescriptionChars) : ''
  const { description, onlyWhen, examples } = readDescription(written)
  const type = typeOf(schema)
  const kind = kindOf(schema, type, name, description)
  const items = schema.items
  const listed = kind === 'choices' && isObject(items) ? items.enum : schema.enum
  const choices: readonly JsonValue[] = Array.isArray(listed) ? listed : []
  const label = labelOf(name, description)
  const terms = new Set([...tokenize(wordsOf(name)), ...tokenize(label)])
  const constant = schema.const ?? (kind === 'choice' && choices.length === 1 ? choices[0] : undefined)
  const question = ''
  return {
    path,
    kind,
    required,
    type,
    label,
    description,
    onlyWhen,
    examples,
    question,
    terms,
    choices,
    constant,
    schema,
  }
}

/** The fields of a tool's parameters, required ones first; whatever is no schema yields none. */
export function readFields(parameters: JsonObject, path: readonly string[] = [], within = true): Field[] {
  const properties = parameters.properties
  if (!isObject(properties) || path.length > 3) return []
  const required = Array.isArray(parameters.required) ? parameters.required : []
  const fields: Field[] = []
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema) || fields.length >= maximumFields || name === '__proto__') continue
    const needed = within && required.includes(name)
    const full = [...path, name]
    if (typeOf(schema) === 'object') fields.push(...readFields(schema, full, needed))
    else fields.push(readField(full, schema, needed))
  }
  return fields.sort((left, right) => Number(right.required) - Number(left.required))
}
