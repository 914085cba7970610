import { PII_CATEGORIES, type PiiCategory } from '@parley/contract/after-conversation'
import { findAnswered, findIntroduced, isPlaceholder } from './introduced-values.ts'
import { findAnsweredName, findNames } from './person-names.ts'
import { categoryOfField, isIdentifier } from './personal-fields.ts'
import { findNumbersOf } from './personal-numbers.ts'
import { mergeRanges, type PersonalRange, placeholderOf, replaceRanges } from './personal-ranges.ts'
import { writeOutNumbers } from './spoken-numbers.ts'
import { findEmails, findStreets } from './word-patterns.ts'

/** Longer texts are left out as a whole: reading them would keep everybody waiting. */
const LONGEST_TEXT = 256 * 1024
const LEFT_OUT = '[too long to be stored]'
const MOST_KNOWN = 500
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
  look(text: string, source?: TextSource): RedactedText
  /** JSON as text: what fields are called counts as well. Text that is no JSON is a text. */
  json(text: string, isAboutPerson?: boolean): string
  value(value: unknown, isAboutPerson?: boolean): unknown
  variables<Value extends string | null>(variables: Readonly<Record<string, Value>>): Record<string, Value>
}

/** A value that is known to be personal, wherever it stands. */
export interface KnownValue {
  readonly category: PiiCategory
  readonly value: string
}

export function createRedactor(categories: readonly PiiCategory[], known: readonly KnownValue[]): Redactor {
  const wanted = new Set(categories)
  const findKnown = createKnownFinder(known.filter(({ category }) => wanted.has(category)))

  const rangesIn = (text: string, source: TextSource): PersonalRange[] => [
    ...findPersonal(text, source, wanted).map(({ range }) => range),
    ...findKnown(text),
  ]

  const look = (given: string, source: TextSource = {}): RedactedText => {
    if (given.length > LONGEST_TEXT) return { text: LEFT_OUT, ranges: [] }
    const ranges = mergeRanges(rangesIn(given, source))
    return { text: replaceRanges(given, ranges), ranges }
  }

  const text = (given: string, source?: TextSource): string => look(given, source).text

  /** What a field holds, judged by its name first. */
  function field(name: string, held: unknown, isAboutPerson: boolean, depth: number): unknown {
    const category = categoryOfField(name, isAboutPerson)
    const isScalar = typeof held === 'string' || typeof held === 'number'
    if (category !== null && wanted.has(category) && isScalar && held !== '') {
      return isPlaceholder(String(held)) ? held : placeholderOf(category)
    }
    if (typeof held === 'string') return text(held, { bareDigits: !isIdentifier(name) })
    return walk(held, isAboutPerson, depth)
  }

  function walk(held: unknown, isAboutPerson: boolean, depth: number): unknown {
    if (typeof held === 'string') return text(held, { bareDigits: false })
    if (typeof held !== 'object' || held === null) return held
    if (depth >= MAX_DEPTH) return null
    if (Array.isArray(held)) return held.map((item) => walk(item, isAboutPerson, depth + 1))
    const isPerson = isAboutPerson || describesPerson(Object.keys(held))
    return Object.fromEntries(
      Object.entries(held).map(([name, inner]) => [name, field(name, inner, isPerson, depth + 1)]),
    )
  }

  return {
    text,
    find: (given, source) => look(given, source).ranges,
    look,
    json(given, isAboutPerson = false) {
      const parsed = parseStructure(given)
      if (parsed === null) return text(given)
      if (given.length > LONGEST_TEXT) return JSON.stringify(LEFT_OUT)
      const before = JSON.stringify(parsed)
      const after = JSON.stringify(walk(parsed, isAboutPerson, 0))
      return before === after ? given : after
    },
    value: (held, isAboutPerson = false) => walk(held, isAboutPerson, 0),
    variables<Value extends string | null>(variables: Readonly<Record<string, Value>>) {
      const redacted = Object.entries(variables).map(([name, held]) => {
        return [name, held === null ? null : String(field(name, held, true, 0))]
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
export function knownFromFields(held: unknown, isAboutPerson: boolean, depth = 0): KnownValue[] {
  if (typeof held !== 'object' || held === null || depth >= MAX_DEPTH) return []
  if (Array.isArray(held)) return held.flatMap((item) => knownFromFields(item, isAboutPerson, depth + 1))
  const isPerson = isAboutPerson || describesPerson(Object.keys(held))
  return Object.entries(held).flatMap(([name, inner]) => {
    const category = categoryOfField(name, isPerson)
    if (category !== null && (typeof inner === 'string' || typeof inner === 'number')) {
      return [{ category, value: String(inner) }]
    }
    return knownFromFields(inner, isPerson, depth + 1)
  })
}

/** The same of JSON as text. */
export function knownFromJson(text: string, isAboutPerson: boolean): KnownValue[] {
  return text.length > LONGEST_TEXT ? [] : knownFromFields(parseStructure(text), isAboutPerson)
}

/** What somebody gave away, which comes up again without what gave it away. */
export function knownFromWords(text: string, asked: string): KnownValue[] {
  if (text.length > LONGEST_TEXT) return []
  return findPersonal(text, { asked }, new Set(PII_CATEGORIES))
    .flatMap(({ range: { start, end, category }, written }) => {
      const said: KnownValue = { category, value: text.slice(start, end) }
      return written === null ? [said] : [said, { category, value: written }]
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
  readonly written: string | null
}

/** All that is personal in a text by itself, the surest first. */
function findPersonal(text: string, source: TextSource, wanted: ReadonlySet<PiiCategory>): Found[] {
  const { asked = '', isAgent = false, bareDigits = true } = source
  const ranges: PersonalRange[] = [...findEmails(text), ...valuesIn(text)]
  if (!isAgent) ranges.push(...findNames(text), ...findAnsweredName(text, asked))
  ranges.push(...findStreets(text))
  const found: Found[] = ranges.map((range) => ({ range, written: null }))
  const spoken = writeOutNumbers(text)
  if (spoken !== null) {
    for (const range of [...valuesIn(spoken.text), ...findStreets(spoken.text)]) {
      found.push({ range: spoken.original(range), written: spoken.text.slice(range.start, range.end) })
    }
  }
  return found.filter(({ range }) => wanted.has(range.category))

  /** Numbers and codes: first what is certain by its form, then what words say, then what may be. */
  function valuesIn(given: string): PersonalRange[] {
    const { certain, likely } = findNumbersOf(given, wanted, { bareDigits })
    return [...certain, ...findIntroduced(given, wanted), ...findAnswered(given, asked, wanted), ...likely]
  }
}

/** Words that are too common to be replaced wherever they stand, although somebody is called so. */
const COMMON =
  /^(?:yes|no|none|null|true|false|unknown|n\/a|the|and|you|will|may|mark|grace|hope|test|user|customer|guest|name)$/i

function createKnownFinder(known: readonly KnownValue[]): (text: string) => PersonalRange[] {
  const categories = new Map<string, PiiCategory>()
  for (const { category, value } of known) {
    for (const part of partsOf(value, category)) {
      if (categories.size < MOST_KNOWN && !categories.has(part)) categories.set(part, category)
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
  const whole = value.trim()
  if (whole.length < 3 || whole.length > 200 || isPlaceholder(whole) || COMMON.test(whole)) return []
  if (category !== 'person_name') return [whole]
  const words = whole.split(/\s+/).filter((word) => word.length >= 3 && /^\p{Lu}/u.test(word) && !COMMON.test(word))
  const capitals = whole.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase())
  return [...new Set([whole, capitals, ...words])]
}
