import type { JsonObject, JsonValue } from '../../ports.ts'

/** An option of a router. */
export interface ChoiceOption {
  readonly key: string
  /** The condition with variables rendered. */
  readonly condition: string
}

/** Property names that models use in place of `choice`. */
const CHOICE_ALIASES = ['edge', 'edge_id', 'option', 'transition', 'key', 'id'] as const

/** Words that may precede a key. */
const KEY_PREFIX_WORDS: ReadonlySet<string> = new Set(['edge', 'option', 'choice', 'condition'])

/** Maximum length of an answer that is read as a choice. */
const MAX_CHARACTERS = 20_000
const MAX_DEPTH = 3

/**
 * Reads a choice's key from `e2`, `e2: its condition`, `["e2"]`, `{"edge": "e2"}` or the words of one condition. Returns `null`
 * unless exactly one key matches. Runs in linear time.
 */
export function readChoice(value: JsonValue | undefined, options: readonly ChoiceOption[]): string | null {
  const text = toChoiceText(value, 0)
  if (text === null || text.length > MAX_CHARACTERS) return null
  const words = splitIntoWords(text)
  if (words.length === 0) return null
  const keys = new Set(options.map(({ key }) => key.toLowerCase()))
  // Words such as "else" or "stay" may belong to a condition, so they count only as the first word.
  const mentionedKeys = new Set(words.filter((word, index) => keys.has(word) && (index === 0 || /\d/.test(word))))
  const [key] = mentionedKeys
  if (key === undefined) return findKeyByCondition(words, options)
  return mentionedKeys.size === 1 && isKeySelected(key, words, options) ? key : null
}

/** Unwraps a choice from the arrays and objects that models put around it. */
function toChoiceText(value: JsonValue | undefined, depth: number): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return null
  if (Array.isArray(value)) return value.length === 1 ? toChoiceText(value[0], depth + 1) : null
  return toChoiceText(unwrapChoice(value as JsonObject), depth + 1)
}

/** Returns the choice inside an object, ignoring the property names in `excludedNames`. */
export function unwrapChoice(
  object: JsonObject,
  excludedNames: ReadonlySet<string> = new Set(),
): JsonValue | undefined {
  if (Object.hasOwn(object, 'choice')) return object.choice
  const name = getSingleItem(
    CHOICE_ALIASES.filter((candidate) => Object.hasOwn(object, candidate) && !excludedNames.has(candidate)),
  )
  return name === null ? undefined : object[name]
}

function splitIntoWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** Whether an answer selects the key. It does if the key comes first or only the key's condition surrounds it. */
function isKeySelected(key: string, words: readonly string[], options: readonly ChoiceOption[]): boolean {
  const otherWords = words.filter((word) => word !== key)
  if (otherWords.length === 0) return true
  const matchedKey = findKeyByCondition(otherWords, options)
  if (matchedKey !== null) return matchedKey === key
  return words[0] === key || otherWords.every((word) => KEY_PREFIX_WORDS.has(word))
}

/**
 * Returns the key of the only condition that equals the words, or that starts or ends with them if they are at least half.
 */
function findKeyByCondition(words: readonly string[], options: readonly ChoiceOption[]): string | null {
  const answerText = ` ${words.join(' ')} `
  const conditions = options.map(({ key, condition }) => {
    const conditionWords = splitIntoWords(condition)
    return { key, count: conditionWords.length, text: ` ${conditionWords.join(' ')} ` }
  })
  const exactMatches = conditions.filter(({ text }) => text === answerText)
  if (exactMatches.length > 0) return getSingleItem(exactMatches)?.key ?? null
  const match = getSingleItem(conditions.filter(({ text }) => text.startsWith(answerText) || text.endsWith(answerText)))
  return match !== null && words.length * 2 >= match.count ? match.key : null
}

function getSingleItem<Value>(values: readonly Value[]): Value | null {
  return values.length === 1 ? (values[0] ?? null) : null
}
