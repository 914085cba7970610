/** Longest text that a customer's pattern is tried on. */
const TEXT_LIMIT_CHARACTERS = 1_000

/** Each open-ended quantifier can multiply the work by the length of the text. */
const QUANTIFIER_LIMIT = 3

/** What ajv asks of a regular expression. */
export interface SafePattern {
  test(text: string): boolean
}

/**
 * A regular expression from a tool's schema that cannot stall the process: JavaScript backtracks, so a pattern that repeats
 * a group without limit, refers back or has more than three open-ended quantifiers accepts everything, as do texts over
 * 1,000 characters and patterns that do not compile. The endpoint itself still judges such values.
 */
export function createSafePattern(pattern: string, flags: string): SafePattern {
  if (!isSafe(pattern)) return { test: () => true }
  try {
    const expression = new RegExp(pattern, flags)
    return { test: (text) => text.length > TEXT_LIMIT_CHARACTERS || expression.test(text) }
  } catch {
    return { test: () => true }
  }
}

function isSafe(pattern: string): boolean {
  if (/\)(?:[*+]|\{\d*,)/.test(pattern) || /\\[1-9k]/.test(pattern)) return false
  const openEnded = pattern.match(/[*+]|\{\d+,\}/g) ?? []
  return openEnded.length <= QUANTIFIER_LIMIT
}
