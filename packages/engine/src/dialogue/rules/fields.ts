import type { JsonObject, JsonValue } from '../../ports.ts'

/** The kind of value that a field accepts, which determines how to recognize it and ask for it. */
export type FieldKind =
  | 'email'
  | 'phone'
  | 'url'
  | 'date'
  | 'time'
  | 'date-time'
  | 'name'
  | 'reference'
  | 'address'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'words'
  | 'text'
  | 'unsupported'

/** A value to find in a conversation, such as a tool argument. Nested objects are flattened into paths. */
export interface Field {
  readonly path: readonly string[]
  readonly kind: FieldKind
  readonly required: boolean
  /** The field's name in plain words, such as "delivery date". */
  readonly label: string
  readonly description: string
  readonly choices: readonly JsonValue[]
  readonly examples: readonly string[]
  readonly schema: JsonObject
}

const MAX_FIELDS = 60
const MAX_DEPTH = 3
const MAX_DESCRIPTION = 2_000

/** The first matching kind wins. */
const KINDS: readonly (readonly [FieldKind, RegExp])[] = [
  ['email', /\be-?mail/],
  [
    'phone',
    /phone|\bmobile\b|\bcell\b|telefon|handynummer|rückrufnummer|number (?:to|for) (?:call|reach|ring)|call ?back number|^(?:the |a |your )?number$/,
  ],
  ['url', /\b(?:url|website|link|webseite)\b/],
  [
    'date-time',
    /\btimestamp\b|\b(?:day|date|tag|datum)\b.{0,20}\b(?:time|uhrzeit|zeit)\b|\bgood time\b|gute zeit|\btermin$/,
  ],
  [
    'reference',
    /\b(?:order|booking|reservation|reference|confirmation|invoice|ticket|tracking|account|case|customer|policy|member(?:ship)?|contract)[ -]?(?:id|number|no|code|reference)\b|\breference\b|(?:bestell|kunden|rechnungs|auftrags|vertrags)nummer|\bid$/,
  ],
  [
    'number',
    /\bhow (?:many|much|old)\b|\bnumber of\b|^their number$|\b(?:quantity|count|amount|party size|guests|people)\b|wie viele|anzahl|personenzahl/,
  ],
  [
    'name',
    /\bnames?\b(?! of (?:the )?(?:product|item|street|service))|\bnamens?\b|\bnamen\b|who is calling|wer anruft/,
  ],
  ['date', /\b(?:date|day|birthday|dob|tag|datum|geburtstag|wochentag)\b|^when$|^wann$/],
  ['time', /\btime\b(?! ?zone)|\buhrzeit\b|\bzeit\b/],
  ['address', /\baddress\b|\badresse\b|\banschrift\b/],
  [
    'words',
    /\b(?:message|query|question|reason|notes?|comments?|details|description|issue|problem|request|summary|complaint|feedback|topic|wish|nachricht|grund|anliegen|anlass|wunsch|beschreibung)\b|\bwhat\b|\bwhy\b|\babout\b|\bwas\b|\bwarum\b|worum|wofür/,
  ],
]

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Splits an identifier into words: `orderId` and `order_id` become "order id". */
export function splitIdentifier(name: string): string {
  return name
    .slice(0, 200)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-.]/g, ' ')
    .trim()
    .toLowerCase()
}

/** Creates a field from the words that name it in a sentence, such as "a phone number" or "what it is about". */
export function createField(phrase: string): Field {
  const label = phrase
    .trim()
    .replace(/^(?:(?:the|a|an|their|your|his|her|dem|den|der|die|das|eine[nrm]?|einen?|ihre[nrm]?|seine[nrm]?) )/i, '')
  const match = KINDS.find(([, pattern]) => pattern.test(label.toLowerCase()))
  const kind = match?.[0] ?? 'text'
  return { path: [label], kind, required: true, label, description: phrase, choices: [], examples: [], schema: {} }
}

function detectKind(schema: JsonObject, words: string, description: string): FieldKind {
  const { type, format } = schema
  if (Array.isArray(schema.enum)) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'number' || type === 'integer') return 'number'
  if (type !== 'string' && type !== undefined && !(Array.isArray(type) && type.includes('string'))) return 'unsupported'
  if (format === 'email' || format === 'date' || format === 'time' || format === 'date-time') return format
  if (format === 'uri') return 'url'
  // A question such as "Which cakes, and for which day" takes a free-text answer.
  if (/^(?:which|what|was|welche\w*)\b.*(?:,| and | und )/i.test(description)) return 'words'
  const nameMatch = KINDS.find(([, pattern]) => pattern.test(words))
  const descriptionMatch = KINDS.find(([, pattern]) => pattern.test(description.toLowerCase().slice(0, 80)))
  if (descriptionMatch?.[0] === 'date-time') return 'date-time'
  if (nameMatch !== undefined && nameMatch[0] !== 'words') return nameMatch[0]
  return (descriptionMatch ?? nameMatch)?.[0] ?? 'text'
}

/** Returns a short noun phrase from the description, or the words of the name if there is none. */
function buildLabel(words: string, description: string): string {
  const start =
    description
      .slice(0, 120)
      .split(/[.(;,:]| e\.g/)[0]
      ?.trim() ?? ''
  const phrase = start
    .replace(/^(?:the|a|an|your)\s/i, '')
    .replace(/^(?:user|customer|caller|guest)'s\s/i, '')
    .replace(/\s(?:of|for|from) (?:the )?(?:user|customer|caller|guest)$/i, '')
  const isNounPhrase =
    phrase !== '' && phrase.split(/\s+/).length <= 4 && !/^(?:whether|if|what|which|how|when|where|to)\b/i.test(phrase)
  const label = isNounPhrase ? phrase : words
  return (/^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label)
    .replace(/\bid\b/gi, 'number')
    .replace(/\be-mail\b/gi, 'email')
}

function readField(path: readonly string[], schema: JsonObject, required: boolean): Field {
  const words = splitIdentifier(path.at(-1) ?? '')
  const fullDescription = typeof schema.description === 'string' ? schema.description.slice(0, MAX_DESCRIPTION) : ''
  const [mainText = '', exampleText = ''] = fullDescription.split(/(?:^|\s)For example: /, 2)
  const description = mainText.split(/(?:^|\s)Only when: /, 2)[0] ?? ''
  return {
    path,
    kind: detectKind(schema, words, description),
    required,
    label: buildLabel(words, description),
    description,
    choices: Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? [] : [schema.const],
    examples: exampleText.split(';').flatMap((example) => example.trim().replace(/\.$/, '') || []),
    schema,
  }
}

/** Reads the fields from a JSON Schema of type object, required fields first. Returns nothing for any other value. */
export function readFields(parameters: JsonObject, path: readonly string[] = [], isParentRequired = true): Field[] {
  const { properties } = parameters
  if (!isObject(properties) || path.length > MAX_DEPTH) return []
  const required = Array.isArray(parameters.required) ? parameters.required : []
  const fields: Field[] = []
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema) || fields.length >= MAX_FIELDS || name === '__proto__') continue
    const isRequired = isParentRequired && required.includes(name)
    const isNested = schema.type === 'object' || isObject(schema.properties)
    if (isNested) fields.push(...readFields(schema, [...path, name], isRequired))
    else fields.push(readField([...path, name], schema, isRequired))
  }
  return fields.sort((left, right) => Number(right.required) - Number(left.required))
}
