import fc from 'fast-check'
import type { z } from 'zod'

/** Generators of inputs that a schema accepts, for tests. */

type Schema = z.core.$ZodType
type AnyArbitrary = fc.Arbitrary<unknown>

/**
 * Returns custom values for a field, or `undefined` to use the values of its schema. Custom fields are always present unless
 * their value is `undefined`.
 */
export type FieldValues = (name: string, schema: Schema) => AnyArbitrary | undefined

/** Average number of optional fields in large objects. */
const OPTIONAL_FIELDS = 5
const MAX_ITEMS = 3
const MAX_TEXT_LENGTH = 30
/** Number of consecutive rejections after which generation fails. Such a schema requires a sample text or field values. */
const MAX_REJECTED_VALUES = 2_000
const MAX_MAGNITUDE = 1e9

/** Texts that match the patterns and rules of the contract. All addresses are local. */
const SAMPLE_TEXTS = [
  '',
  ' ',
  'a',
  'Name',
  'long '.repeat(30),
  '1',
  '2',
  '0.5',
  'true',
  'latest',
  'active',
  'high',
  'fast',
  'offline',
  'acme/large',
  'UTC',
  'Europe/Berlin',
  'en-US',
  'elevenlabs',
  'Cartesia ',
  'name@example.com',
  'shop.example.com',
  'http://127.0.0.1:9/a?b=c',
  'https://127.0.0.1:9/{{name}}',
  'ws://127.0.0.1:9/a',
  'data:image/png;base64,AAAA',
  '#1D4ed8',
  '2026-01-31',
  '2026-01-31T12:00:00',
  '2026-01-31T12:00:00.000Z',
  '2030-01-31T12:00:00+02:00',
  '08:00',
  '24:00',
  '+1 (555) 010-0001',
  '100',
  'sip:a@127.0.0.1:5060;transport=tcp',
  '{{name}}',
  '{{age}} >= 18 && city == "Berlin"',
  'x-y_z',
  'sk_0123456789abcdef',
  '__proto__',
  '<b>&amp;</b>',
  '\ud83d\ude00 e\u0301 \u202e \u2028',
]

/** The server rejects NUL, and lone surrogates are not valid text. */
const plainText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ maxLength: MAX_TEXT_LENGTH }),
    fc.string({ unit: 'grapheme', maxLength: MAX_TEXT_LENGTH }),
    fc.string({ unit: 'binary', maxLength: MAX_TEXT_LENGTH }),
  )
  .map((text) => text.replaceAll('\0', '0').toWellFormed())

const json: AnyArbitrary = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '0')) as unknown)

/** Generates values that `schema` accepts. Absent keys are omitted, as in JSON. */
export function createArbitrary(schema: Schema, fieldValues: FieldValues = () => undefined): AnyArbitrary {
  const cache = new Map<Schema, AnyArbitrary>()

  function find(schema: Schema): AnyArbitrary {
    const cached = cache.get(schema)
    if (cached !== undefined) return cached
    const unfilteredArbitrary = buildArbitrary(schema, find, fieldValues)
    const arbitrary = needsNoFilter(schema) ? unfilteredArbitrary : filterAccepted(schema, unfilteredArbitrary)
    cache.set(schema, arbitrary)
    return arbitrary
  }

  return find(schema)
}

type FindArbitrary = (schema: Schema) => AnyArbitrary

function buildArbitrary(schema: Schema, find: FindArbitrary, fieldValues: FieldValues): AnyArbitrary {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return createStrings(schema)
    case 'number':
      return createNumberArbitrary(schema)
    case 'boolean':
      return fc.boolean()
    case 'unknown':
      return json
    case 'literal':
      return fc.constantFrom(...def.values)
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries))
    case 'nullable':
      return fc.oneof({ weight: 4, arbitrary: find(def.innerType) }, { weight: 1, arbitrary: fc.constant(null) })
    case 'optional':
    case 'default':
      return find(def.innerType)
    case 'pipe':
      return find(def.in)
    case 'union':
      return fc.oneof(...def.options.map(find))
    case 'tuple':
      return fc.tuple(...def.items.map(find))
    case 'array':
      return createArrayArbitrary(schema, find(def.element))
    case 'record':
      return fc.dictionary(find(def.keyType) as fc.Arbitrary<string>, find(def.valueType), { maxKeys: MAX_ITEMS })
    case 'object':
      return createObjectArbitrary(def.shape, find, fieldValues)
    default:
      throw new Error(`A schema of type "${def.type}" has no generator yet.`)
  }
}

function createObjectArbitrary(
  shape: Readonly<Record<string, Schema>>,
  find: FindArbitrary,
  fieldValues: FieldValues,
): AnyArbitrary {
  const fields = Object.entries(shape)
  const optionalCount = fields.filter(([, field]) => field._zod.optin === 'optional').length
  const expectedOptionalCount = optionalCount > 2 * OPTIONAL_FIELDS ? OPTIONAL_FIELDS : optionalCount / 2
  const values = fields.map(([name, field]) => {
    const overrides = fieldValues(name, field)
    if (overrides !== undefined) return overrides
    const value = find(field)
    if (field._zod.optin !== 'optional') return value
    return fc.oneof(
      { weight: Math.ceil(expectedOptionalCount * 10), arbitrary: value },
      { weight: Math.ceil((optionalCount - expectedOptionalCount) * 10), arbitrary: fc.constant(undefined) },
    )
  })
  return fc.tuple(...values).map((row) => {
    const entries = fields.map(([name], index) => [name, row[index]] as const)
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  })
}

/** Whether every generated value is valid, so that no filter is needed. */
function needsNoFilter(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'pipe' || def.type === 'union' || def.type === 'record') return false
  if (def.type === 'string') return true
  return !(def.checks ?? []).some((check) => check._zod.def.check === 'custom')
}

function isAccepted(schema: Schema, value: unknown): boolean {
  return (schema as z.ZodType).safeParse(value).success
}

function filterAccepted(schema: Schema, arbitrary: AnyArbitrary): AnyArbitrary {
  let rejectedCount = 0
  return arbitrary.filter((value) => {
    const isValid = isAccepted(schema, value)
    rejectedCount = isValid ? 0 : rejectedCount + 1
    if (rejectedCount > MAX_REJECTED_VALUES)
      throw new Error(`No generated value matches the schema; the last value was ${JSON.stringify(value)}`)
    return isValid
  })
}

/** Bounds of a string, number or list. */
interface Bounds {
  readonly minimum: number | null
  readonly maximum: number | null
  readonly patterns: readonly RegExp[]
}

function readBounds(schema: Schema): Bounds {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const checks = (def.checks ?? []).map((check) => (check as z.core.$ZodChecks)._zod.def)
  const initialBounds = { minimum: null, maximum: null, patterns: readPattern(def) }
  return checks.reduce<Bounds>((bounds, check) => {
    if (check.check === 'min_length') return Object.assign(bounds, { minimum: check.minimum })
    if (check.check === 'max_length') return Object.assign(bounds, { maximum: check.maximum })
    if (check.check === 'greater_than') return Object.assign(bounds, { minimum: Number(check.value) })
    if (check.check === 'less_than') return Object.assign(bounds, { maximum: Number(check.value) })
    return Object.assign(bounds, { patterns: bounds.patterns.concat(readPattern(check)) })
  }, initialBounds)
}

function readPattern(def: object): RegExp[] {
  return 'pattern' in def && def.pattern instanceof RegExp ? [def.pattern] : []
}

/** Generates several kinds of strings, except kinds that the schema mostly rejects. */
function createStrings(schema: Schema): AnyArbitrary {
  const { minimum, maximum, patterns } = readBounds(schema)
  const { def } = (schema as z.core.$ZodTypes)._zod
  const format = 'format' in def ? def.format : undefined
  const matchingTexts = SAMPLE_TEXTS.filter((text) => isAccepted(schema, text))
  const kinds = [
    ...(format === 'datetime' || format === 'date' ? [createDates(format)] : patterns.flatMap(createMatches)),
    plainText,
    plainText.map((text) => text.padEnd(minimum ?? 0, 'x').slice(0, maximum ?? undefined)),
  ].filter((kind) => fc.sample(kind, { numRuns: 40, seed: 1 }).filter((text) => isAccepted(schema, text)).length > 4)
  if (matchingTexts.length > 0) kinds.unshift(fc.constantFrom(...matchingTexts))
  if (kinds.length === 0) throw new Error(`No generated text matches the patterns ${patterns.join(' ')}`)
  return filterAccepted(schema, fc.oneof(...kinds))
}

/** Generates matches of a pattern. Returns an empty list for unsupported patterns, for which only sample texts are used. */
function createMatches(pattern: RegExp): fc.Arbitrary<string>[] {
  try {
    return [fc.stringMatching(pattern, { size: 'small' })]
  } catch {
    return []
  }
}

function createDates(format: 'datetime' | 'date'): fc.Arbitrary<string> {
  const dates = fc.date({ min: new Date(0), max: new Date('2099-12-31T23:59:59.999Z'), noInvalidDate: true })
  return dates.map((date) => date.toISOString().slice(0, format === 'date' ? 10 : undefined))
}

function createNumberArbitrary(schema: Schema): AnyArbitrary {
  const { minimum, maximum } = readBounds(schema)
  const min = minimum ?? -MAX_MAGNITUDE
  const max = maximum ?? MAX_MAGNITUDE
  const { def } = (schema as z.core.$ZodTypes)._zod
  if ('format' in def && def.format === 'safeint') return fc.integer({ min, max })
  const decimals = fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
  // JSON has no negative zero.
  const numbers = fc.oneof(decimals, fc.constantFrom(min, max)).map((value) => value + 0)
  return filterAccepted(schema, numbers)
}

function createArrayArbitrary(schema: Schema, item: AnyArbitrary): AnyArbitrary {
  const { minimum, maximum } = readBounds(schema)
  const maxItems = Math.min(maximum ?? MAX_ITEMS, MAX_ITEMS)
  return fc.array(item, { minLength: minimum ?? 0, maxLength: Math.max(minimum ?? 0, maxItems) })
}
