import type { JsonObject, JsonValue } from '../../ports.ts'

/** One of the answers that a router can give. */
export interface ChoiceOption {
  readonly key: string
  /** The condition as the model read it. */
  readonly condition: string
}

/** Names under which models put a choice that they wrap in an object, instead of `choice`. */
const CHOICE_ALIASES = ['edge', 'edge_id', 'option', 'transition', 'key', 'id'] as const

/** Words that may introduce a key. */
const KEY_PREFIX_WORDS: ReadonlySet<string> = new Set(['edge', 'option', 'choice', 'condition'])

/** A longer answer is not a choice. */
const MAX_CHARACTERS = 20_000
const MAX_DEPTH = 3

/**
 * The key that a model's answer names: `e2`, `e2: its condition`, `["e2"]`, `{"edge": "e2"}` or the words of one condition.
 * `null` when it names none, or more than one. Time is linear in the answer and the conditions.
 */
export function readChoice(value: JsonValue | undefined, options: readonly ChoiceOption[]): string | null {
  const text = textOf(value, 0)
  if (text === null || text.length > MAX_CHARACTERS) return null
  const words = wordsOf(text)
  if (words.length === 0) return null
  const keys = new Set(options.map(({ key }) => key.toLowerCase()))
  // A word such as "else" or "stay" is a key only where it comes first: it may be part of a condition.
  const named = new Set(words.filter((word, index) => keys.has(word) && (index === 0 || /\d/.test(word))))
  const [key] = named
  if (key === undefined) return matchByWords(words, options)
  return named.size === 1 && isKeyMeant(key, words, options) ? key : null
}

/** A choice as text, out of the shapes that models put around it. */
function textOf(value: JsonValue | undefined, depth: number): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return null
  if (Array.isArray(value)) return value.length === 1 ? textOf(value[0], depth + 1) : null
  return textOf(unwrapChoice(value as JsonObject), depth + 1)
}

/** The property of an object that holds a choice; names in `taken` mean something else. */
export function unwrapChoice(object: JsonObject, taken: ReadonlySet<string> = new Set()): JsonValue | undefined {
  if (Object.hasOwn(object, 'choice')) return object.choice
  const name = only(CHOICE_ALIASES.filter((candidate) => Object.hasOwn(object, candidate) && !taken.has(candidate)))
  return name === null ? undefined : object[name]
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** Whether an answer that names a key means it: the key comes first, or beside nothing but its own condition. */
function isKeyMeant(key: string, words: readonly string[], options: readonly ChoiceOption[]): boolean {
  const others = words.filter((word) => word !== key)
  if (others.length === 0) return true
  const spokenWords = matchByWords(others, options)
  if (spokenWords !== null) return spokenWords === key
  return words[0] === key || others.every((word) => KEY_PREFIX_WORDS.has(word))
}

/** The key of the only condition that the words are, or that they begin or end and cover at least half of. */
function matchByWords(words: readonly string[], options: readonly ChoiceOption[]): string | null {
  const spokenWords = ` ${words.join(' ')} `
  const conditions = options.map(({ key, condition }) => {
    const conditionWords = wordsOf(condition)
    return { key, count: conditionWords.length, text: ` ${conditionWords.join(' ')} ` }
  })
  const same = conditions.filter(({ text }) => text === spokenWords)
  if (same.length > 0) return only(same)?.key ?? null
  const match = only(conditions.filter(({ text }) => text.startsWith(spokenWords) || text.endsWith(spokenWords)))
  return match !== null && words.length * 2 >= match.count ? match.key : null
}

function only<Value>(values: readonly Value[]): Value | null {
  return values.length === 1 ? (values[0] ?? null) : null
}
