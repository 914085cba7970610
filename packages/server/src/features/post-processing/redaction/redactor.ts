import { PII_CATEGORIES, type PiiCategory } from '@parley/contract/after-conversation'
import { findAnswered, findIntroduced, isPlaceholder } from './introduced-values.ts'
import { findAnsweredName, findNames } from './person-names.ts'
import { categoryOfField, isIdentifier } from './personal-fields.ts'
import { findNumbersOf } from './personal-numbers.ts'
import { mergeRanges, type PersonalRange, placeholderOf, replaceRanges } from './personal-ranges.ts'
import { digitizeNumbers } from './spoken-numbers.ts'
import { findEmails, findStreets } from './word-patterns.ts'

/** Longer texts are left out as a whole: reading them would keep everybody waiting. */
const MAX_TEXT_CHARACTERS = 256 * 1024
const OMITTED_TEXT = '[too long to be stored]'
const MAX_KNOWN_VALUES = 500
const MAX_DEPTH = 50

/** Where a text comes from, as far as that helps to find what is personal in it. */
export interface TextSource {
  /** What the other side asked before. */
  readonly asked?: string
  /** Said by the agent, who introduces itself by a name that is nobody's. */
  readonly isAgent?: boolean
  /** Whether ten digits and more in a row are a phone number; true when absent. */
  readonly bareDigits?: boolean
}

export interface RedactedText {
  readonly text: string
  /** What was personal in it, as `find` tells it. */
  readonly ranges: readonly PersonalRange[]
}

/** Takes personal data out of the texts of one conversation. Everything is the same text again when nothing personal is in it. */
export interface Redactor {
  text(text: string, source?: TextSource): string
  /** The parts of a text that are personal, in order and without overlaps; none of a text that is left out as a whole. */
  find(text: string, source?: TextSource): readonly PersonalRange[]
  /** Both, for one look at the text. */
  redactText(text: string, source?: TextSource): RedactedText
  /** JSON as text: what fields are called counts as well. Text that is no JSON is a text. */
  json(text: string, isPersonal?: boolean): string
  value(value: unknown, isPersonal?: boolean): unknown
  variables<Value extends string | null>(variables: Readonly<Record<string, Value>>): Record<string, Value>
}

/** A value that is known to be personal, wherever it stands. */
export interface KnownValue {
  readonly category: PiiCategory
  readonly value: string
}

export function createRedactor(categories: readonly PiiCategory[], known: readonly KnownValue[]): Redactor {
  const categorySet = new Set(categories)
  const findKnown = createKnownFinder(known.filter(({ category }) => categorySet.has(category)))

  const rangesIn = (text: string, source: TextSource): PersonalRange[] => [
    ...findPersonal(text, source, categorySet).map(({ range }) => range),
    ...findKnown(text),
  ]

  const redactText = (input: string, source: TextSource = {}): RedactedText => {
    if (input.length > MAX_TEXT_CHARACTERS) return { text: OMITTED_TEXT, ranges: [] }
    const ranges = mergeRanges(rangesIn(input, source))
    return { text: replaceRanges(input, ranges), ranges }
  }

  const text = (input: string, source?: TextSource): string => redactText(input, source).text

  /** What a field holds, judged by its name first. */
  function field(name: string, fieldValue: unknown, isPersonal: boolean, depth: number): unknown {
    const category = categoryOfField(name, isPersonal)
    const isScalar = typeof fieldValue === 'string' || typeof fieldValue === 'number'
    if (category !== null && categorySet.has(category) && isScalar && fieldValue !== '') {
      return isPlaceholder(String(fieldValue)) ? fieldValue : placeholderOf(category)
    }
    if (typeof fieldValue === 'string') return text(fieldValue, { bareDigits: !isIdentifier(name) })
    return walk(fieldValue, isPersonal, depth)
  }

  function walk(fieldValue: unknown, isPersonal: boolean, depth: number): unknown {
    if (typeof fieldValue === 'string') return text(fieldValue, { bareDigits: false })
    if (typeof fieldValue !== 'object' || fieldValue === null) return fieldValue
    if (depth >= MAX_DEPTH) return null
    if (Array.isArray(fieldValue)) return fieldValue.map((item) => walk(item, isPersonal, depth + 1))
    const describesOne = isPersonal || describesPerson(Object.keys(fieldValue))
    return Object.fromEntries(
      Object.entries(fieldValue).map(([name, child]) => [name, field(name, child, describesOne, depth + 1)]),
    )
  }

  return {
    text,
    find: (input, source) => redactText(input, source).ranges,
    redactText,
    json(input, isPersonal = false) {
      const parsed = parseStructure(input)
      if (parsed === null) return text(input)
      if (input.length > MAX_TEXT_CHARACTERS) return JSON.stringify(OMITTED_TEXT)
      const before = JSON.stringify(parsed)
      const after = JSON.stringify(walk(parsed, isPersonal, 0))
      return before === after ? input : after
    },
    value: (fieldValue, isPersonal = false) => walk(fieldValue, isPersonal, 0),
    variables<Value extends string | null>(variables: Readonly<Record<string, Value>>) {
      const redacted = Object.entries(variables).map(([name, fieldValue]) => {
        return [name, fieldValue === null ? null : String(field(name, fieldValue, true, 0))]
      })
      return Object.fromEntries(redacted) as Record<string, Value>
    },
  }
}

/** An object or an array; `null` for everything else, numbers and words included. */
function parseStructure(text: string): object | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** Whether an object with such fields is about somebody, so that its `name` is a person's. */
function describesPerson(names: readonly string[]): boolean {
  return names.some((name) => categoryOfField(name, false) !== null)
}

/** What the fields of a structure say about people, for the rest of the conversation. */
export function knownFromFields(fieldValue: unknown, isPersonal: boolean, depth = 0): KnownValue[] {
  if (typeof fieldValue !== 'object' || fieldValue === null || depth >= MAX_DEPTH) return []
  if (Array.isArray(fieldValue)) return fieldValue.flatMap((item) => knownFromFields(item, isPersonal, depth + 1))
  const describesOne = isPersonal || describesPerson(Object.keys(fieldValue))
  return Object.entries(fieldValue).flatMap(([name, child]) => {
    const category = categoryOfField(name, describesOne)
    if (category !== null && (typeof child === 'string' || typeof child === 'number')) {
      return [{ category, value: String(child) }]
    }
    return knownFromFields(child, describesOne, depth + 1)
  })
}

/** The same of JSON as text. */
export function knownFromJson(text: string, isPersonal: boolean): KnownValue[] {
  return text.length > MAX_TEXT_CHARACTERS ? [] : knownFromFields(parseStructure(text), isPersonal)
}

/** What somebody gave away, which comes up again without what gave it away. */
export function knownFromWords(text: string, asked: string): KnownValue[] {
  if (text.length > MAX_TEXT_CHARACTERS) return []
  return findPersonal(text, { asked }, new Set(PII_CATEGORIES))
    .flatMap(({ range: { start, end, category }, digits }) => {
      const knownValue: KnownValue = { category, value: text.slice(start, end) }
      return digits === null ? [knownValue] : [knownValue, { category, value: digits }]
    })
    .filter(isDistinctive)
}

/** Short numbers, years and plain words come up with other meanings. */
function isDistinctive({ category, value }: KnownValue): boolean {
  if (category === 'person_name') return true
  if (category === 'password') return /[^\p{L}]/u.test(value) || /\p{Ll}\p{Lu}/u.test(value)
  return value.length >= 4 && !/^(?:19|20)\d{2}$/.test(value)
}

interface Found {
  readonly range: PersonalRange
  /** A number that was said in words, in digits. */
  readonly digits: string | null
}

/** All that is personal in a text by itself, the surest first. */
function findPersonal(text: string, source: TextSource, categorySet: ReadonlySet<PiiCategory>): Found[] {
  const { asked = '', isAgent = false, bareDigits = true } = source
  const ranges: PersonalRange[] = [...findEmails(text), ...valuesIn(text)]
  if (!isAgent) ranges.push(...findNames(text), ...findAnsweredName(text, asked))
  ranges.push(...findStreets(text))
  const found: Found[] = ranges.map((range) => ({ range, digits: null }))
  const spoken = digitizeNumbers(text)
  if (spoken !== null) {
    for (const range of [...valuesIn(spoken.text), ...findStreets(spoken.text)]) {
      found.push({ range: spoken.original(range), digits: spoken.text.slice(range.start, range.end) })
    }
  }
  return found.filter(({ range }) => categorySet.has(range.category))

  /** Numbers and codes: first what is certain by its form, then what words say, then what may be. */
  function valuesIn(input: string): PersonalRange[] {
    const { certain, likely } = findNumbersOf(input, categorySet, { bareDigits })
    return [...certain, ...findIntroduced(input, categorySet), ...findAnswered(input, asked, categorySet), ...likely]
  }
}

/** Words that are too common to be replaced wherever they stand, although somebody is called so. */
const COMMON =
  /^(?:yes|no|none|null|true|false|unknown|n\/a|the|and|you|will|may|mark|grace|hope|test|user|customer|guest|name)$/i

function createKnownFinder(known: readonly KnownValue[]): (text: string) => PersonalRange[] {
  const categories = new Map<string, PiiCategory>()
  for (const { category, value } of known) {
    for (const part of partsOf(value, category)) {
      if (categories.size < MAX_KNOWN_VALUES && !categories.has(part)) categories.set(part, category)
    }
  }
  if (categories.size === 0) return () => []
  const longestFirst = [...categories.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${longestFirst.map((part) => RegExp.escape(part)).join('|')})(?![\\p{L}\\p{N}])`,
    'gu',
  )
  return (text) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => {
      return { start: index, end: index + found.length, category: categories.get(found) ?? 'person_name' }
    })
}

/** A value as it may come up again: of a name also its words, since nobody is addressed by all of them. */
function partsOf(value: string, category: PiiCategory): string[] {
  const trimmed = value.trim()
  if (trimmed.length < 3 || trimmed.length > 200 || isPlaceholder(trimmed) || COMMON.test(trimmed)) return []
  if (category !== 'person_name') return [trimmed]
  const words = trimmed.split(/\s+/).filter((word) => word.length >= 3 && /^\p{Lu}/u.test(word) && !COMMON.test(word))
  const capitalized = trimmed.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase())
  return [...new Set([trimmed, capitalized, ...words])]
}
