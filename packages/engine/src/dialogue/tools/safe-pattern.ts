/** Maximum length of a text that is matched against a customer's pattern. */
const TEXT_LIMIT_CHARACTERS = 1_000

/** Each open-ended quantifier can multiply the work by the text length. */
const QUANTIFIER_LIMIT = 3

/** The subset of a regular expression's interface that ajv uses. */
export interface SafePattern {
  test(text: string): boolean
}

/**
 * Creates a regular expression that cannot stall the process, although JavaScript backtracks. Patterns with repeated groups,
 * back references or more than three open-ended quantifiers match everything, as do invalid patterns. Texts over 1,000
 * characters always match. The tool's endpoint still validates such values.
 */
export function createSafePattern(pattern: string, flags: string): SafePattern {
  if (!isSafePattern(pattern)) return { test: () => true }
  try {
    const expression = new RegExp(pattern, flags)
    return { test: (text) => text.length > TEXT_LIMIT_CHARACTERS || expression.test(text) }
  } catch {
    return { test: () => true }
  }
}

function isSafePattern(pattern: string): boolean {
  if (/\)(?:[*+]|\{\d*,)/.test(pattern) || /\\[1-9k]/.test(pattern)) return false
  const openQuantifiers = pattern.match(/[*+]|\{\d+,\}/g) ?? []
  return openQuantifiers.length <= QUANTIFIER_LIMIT
}
