import { PII_CATEGORIES, type PiiCategory } from '@parley/contract/after-conversation'
import {
  findAnsweredValues,
  findIntroducedValues,
  getFieldCategory,
  isIdentifierField,
  isPlaceholder,
} from './introduced-values.ts'
import { findAnsweredName, findNames } from './person-names.ts'
import { findNumbersByCategory } from './personal-numbers.ts'
import { digitizeNumbers } from './spoken-numbers.ts'
import {
  findEmails,
  findStreets,
  formatPlaceholder,
  mergeRanges,
  type PersonalRange,
  replaceRanges,
} from './word-patterns.ts'

/** Maximum length of a text to search. Longer texts are removed entirely because searching them would take too long. */
const MAX_TEXT_CHARACTERS = 256 * 1024
const OMITTED_TEXT = '[too long to be stored]'
const MAX_KNOWN_VALUES = 500
const MAX_DEPTH = 50

/** Context that helps to find personal data in a text. */
export interface TextContext {
  /** The other speaker's previous question. */
  readonly question?: string
  /** Whether the agent said the text. The agent's name is not personal. */
  readonly isAgent?: boolean
  /** Whether ten or more consecutive digits are a phone number. Defaults to true. */
  readonly bareDigits?: boolean
}

export interface RedactedText {
  readonly text: string
  /** Personal ranges, as `findRanges` returns them. */
  readonly ranges: readonly PersonalRange[]
}

/** Removes personal data from the texts of one conversation. Other texts stay identical. */
export interface Redactor {
  redactText(text: string, context?: TextContext): string
  /** Finds the personal ranges of a text, in order and without overlaps. Returns none for a text that is removed entirely. */
  findRanges(text: string, context?: TextContext): readonly PersonalRange[]
  /** Returns both the redacted text and its ranges from one search. */
  redactTextWithRanges(text: string, context?: TextContext): RedactedText
  /** Redacts JSON text, using field names as context. Treats other text as plain text. */
  redactJson(text: string, isPersonal?: boolean): string
  redactValue(value: unknown, isPersonal?: boolean): unknown
  redactVariables<Value extends string | null>(variables: Readonly<Record<string, Value>>): Record<string, Value>
}

/** A value known to be personal. It is redacted wherever it occurs. */
export interface KnownValue {
  readonly category: PiiCategory
  readonly value: string
}

export function createRedactor(categories: readonly PiiCategory[], knownValues: readonly KnownValue[]): Redactor {
  const categorySet = new Set(categories)
  const findKnownValues = createKnownValueFinder(knownValues.filter(({ category }) => categorySet.has(category)))

  const collectRanges = (text: string, context: TextContext): PersonalRange[] => [
    ...findPersonal(text, context, categorySet).map(({ range }) => range),
    ...findKnownValues(text),
  ]

  const redactTextWithRanges = (input: string, context: TextContext = {}): RedactedText => {
    if (input.length > MAX_TEXT_CHARACTERS) return { text: OMITTED_TEXT, ranges: [] }
    const ranges = mergeRanges(collectRanges(input, context))
    return { text: replaceRanges(input, ranges), ranges }
  }

  const redactText = (input: string, context?: TextContext): string => redactTextWithRanges(input, context).text

  /** Redacts a field. Its name may determine the category. */
  function redactField(name: string, fieldValue: unknown, isPersonal: boolean, depth: number): unknown {
    const category = getFieldCategory(name, isPersonal)
    const isScalar = typeof fieldValue === 'string' || typeof fieldValue === 'number'
    if (category !== null && categorySet.has(category) && isScalar && fieldValue !== '') {
      return isPlaceholder(String(fieldValue)) ? fieldValue : formatPlaceholder(category)
    }
    if (typeof fieldValue === 'string') return redactText(fieldValue, { bareDigits: !isIdentifierField(name) })
    return redactStructure(fieldValue, isPersonal, depth)
  }

  function redactStructure(fieldValue: unknown, isPersonal: boolean, depth: number): unknown {
    if (typeof fieldValue === 'string') return redactText(fieldValue, { bareDigits: false })
    if (typeof fieldValue !== 'object' || fieldValue === null) return fieldValue
    if (depth >= MAX_DEPTH) return null
    if (Array.isArray(fieldValue)) return fieldValue.map((item) => redactStructure(item, isPersonal, depth + 1))
    const isPerson = isPersonal || describesPerson(Object.keys(fieldValue))
    return Object.fromEntries(
      Object.entries(fieldValue).map(([name, child]) => [name, redactField(name, child, isPerson, depth + 1)]),
    )
  }

  return {
    redactText,
    findRanges: (input, context) => redactTextWithRanges(input, context).ranges,
    redactTextWithRanges,
    redactJson(input, isPersonal = false) {
      const parsedValue = parseStructure(input)
      if (parsedValue === null) return redactText(input)
      if (input.length > MAX_TEXT_CHARACTERS) return JSON.stringify(OMITTED_TEXT)
      const originalJson = JSON.stringify(parsedValue)
      const redactedJson = JSON.stringify(redactStructure(parsedValue, isPersonal, 0))
      return originalJson === redactedJson ? input : redactedJson
    },
    redactValue: (fieldValue, isPersonal = false) => redactStructure(fieldValue, isPersonal, 0),
    redactVariables<Value extends string | null>(variables: Readonly<Record<string, Value>>) {
      const redactedEntries = Object.entries(variables).map(([name, fieldValue]) => {
        return [name, fieldValue === null ? null : String(redactField(name, fieldValue, true, 0))]
      })
      return Object.fromEntries(redactedEntries) as Record<string, Value>
    },
  }
}

/** Parses an object or array. Returns null for any other text. */
function parseStructure(text: string): object | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** Whether an object with these fields describes a person, so that its `name` is personal. */
function describesPerson(names: readonly string[]): boolean {
  return names.some((name) => getFieldCategory(name, false) !== null)
}

/** Collects personal values in fields for the rest of the conversation. */
export function collectKnownFromFields(fieldValue: unknown, isPersonal: boolean, depth = 0): KnownValue[] {
  if (typeof fieldValue !== 'object' || fieldValue === null || depth >= MAX_DEPTH) return []
  if (Array.isArray(fieldValue))
    return fieldValue.flatMap((item) => collectKnownFromFields(item, isPersonal, depth + 1))
  const isPerson = isPersonal || describesPerson(Object.keys(fieldValue))
  return Object.entries(fieldValue).flatMap(([name, child]) => {
    const category = getFieldCategory(name, isPerson)
    if (category !== null && (typeof child === 'string' || typeof child === 'number')) {
      return [{ category, value: String(child) }]
    }
    return collectKnownFromFields(child, isPerson, depth + 1)
  })
}

/** Collects personal values in JSON text. */
export function collectKnownFromJson(text: string, isPersonal: boolean): KnownValue[] {
  return text.length > MAX_TEXT_CHARACTERS ? [] : collectKnownFromFields(parseStructure(text), isPersonal)
}

/** Collects values that context identifies and that may recur without context. */
export function collectKnownFromText(text: string, question: string): KnownValue[] {
  if (text.length > MAX_TEXT_CHARACTERS) return []
  return findPersonal(text, { question }, new Set(PII_CATEGORIES))
    .flatMap(({ range: { start, end, category }, digits }) => {
      const knownValue: KnownValue = { category, value: text.slice(start, end) }
      return digits === null ? [knownValue] : [knownValue, { category, value: digits }]
    })
    .filter(isDistinctive)
}

/** Whether a value has no other common meaning. Short numbers, years and plain words are not distinctive. */
function isDistinctive({ category, value }: KnownValue): boolean {
  if (category === 'person_name') return true
  if (category === 'password') return /[^\p{L}]/u.test(value) || /\p{Ll}\p{Lu}/u.test(value)
  return value.length >= 4 && !/^(?:19|20)\d{2}$/.test(value)
}

interface FoundRange {
  readonly range: PersonalRange
  /** Digits of a spoken number. */
  readonly digits: string | null
}

/** Finds all personal data in a text without known values. More certain findings come first. */
function findPersonal(text: string, context: TextContext, categorySet: ReadonlySet<PiiCategory>): FoundRange[] {
  const { question = '', isAgent = false, bareDigits = true } = context
  const ranges: PersonalRange[] = [...findEmails(text), ...findValuesIn(text)]
  if (!isAgent) ranges.push(...findNames(text), ...findAnsweredName(text, question))
  ranges.push(...findStreets(text))
  const foundRanges: FoundRange[] = ranges.map((range) => ({ range, digits: null }))
  const digitizedText = digitizeNumbers(text)
  if (digitizedText !== null) {
    for (const range of [...findValuesIn(digitizedText.text), ...findStreets(digitizedText.text)]) {
      foundRanges.push({
        range: digitizedText.toOriginalRange(range),
        digits: digitizedText.text.slice(range.start, range.end),
      })
    }
  }
  return foundRanges.filter(({ range }) => categorySet.has(range.category))

  /** Finds numbers and codes: certain formats first, then context, then likely formats. */
  function findValuesIn(input: string): PersonalRange[] {
    const { certainRanges, likelyRanges } = findNumbersByCategory(input, categorySet, { bareDigits })
    return [
      ...certainRanges,
      ...findIntroducedValues(input, categorySet),
      ...findAnsweredValues(input, question, categorySet),
      ...likelyRanges,
    ]
  }
}

/** Names that are also common words and are therefore not replaced everywhere. */
const COMMON_WORDS =
  /^(?:yes|no|none|null|true|false|unknown|n\/a|the|and|you|will|may|mark|grace|hope|test|user|customer|guest|name)$/i

function createKnownValueFinder(knownValues: readonly KnownValue[]): (text: string) => PersonalRange[] {
  const categories = new Map<string, PiiCategory>()
  for (const { category, value } of knownValues) {
    for (const form of listRecurringForms(value, category)) {
      if (categories.size < MAX_KNOWN_VALUES && !categories.has(form)) categories.set(form, category)
    }
  }
  if (categories.size === 0) return () => []
  const longestForms = [...categories.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${longestForms.map((form) => RegExp.escape(form)).join('|')})(?![\\p{L}\\p{N}])`,
    'gu',
  )
  return (text) =>
    [...text.matchAll(pattern)].map(({ index, 0: matchedText }) => {
      return { start: index, end: index + matchedText.length, category: categories.get(matchedText) ?? 'person_name' }
    })
}

/** Returns the forms in which a value may recur. Names may recur as single words. */
function listRecurringForms(value: string, category: PiiCategory): string[] {
  const trimmedValue = value.trim()
  if (
    trimmedValue.length < 3 ||
    trimmedValue.length > 200 ||
    isPlaceholder(trimmedValue) ||
    COMMON_WORDS.test(trimmedValue)
  )
    return []
  if (category !== 'person_name') return [trimmedValue]
  const words = trimmedValue
    .split(/\s+/)
    .filter((word) => word.length >= 3 && /^\p{Lu}/u.test(word) && !COMMON_WORDS.test(word))
  const capitalizedValue = trimmedValue.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase())
  return [...new Set([trimmedValue, capitalizedValue, ...words])]
}
