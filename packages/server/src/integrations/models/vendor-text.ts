const MAX_MESSAGE_CHARACTERS = 240
// Long enough for any sentence that a provider writes, short enough to run the patterns below on hostile input.
const MAX_INSPECTED_CHARACTERS = 2_000

/** Replacements in order: a key inside quotes must be gone before the quotes are looked at. */
const REDACTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.…-]{4,}/gi, '[key]'],
  [/\bAIza[\w-]{10,}/g, '[key]'],
  [/\bBearer\s+\S+/gi, '[key]'],
  [/\b(?:org|proj|user|acct)[-_][A-Za-z0-9]{6,}/g, '[account]'],
  [/(?<![^\s@"'<>])[^\s@"'<>]+@[^\s@"'<>]+/g, '[e-mail]'],
  [/\+?\d(?:[ ().-]?\d){9,}/g, '[number]'],
  // What stands in quotes may be prompt text; only what looks like a parameter or a model name stays.
  [/"(?![\w.:/[\]-]{1,64}")[^"]{1,2000}("|$)/g, '"…"'],
  [/(?<![A-Za-z])'(?![\w.:/[\]-]{1,64}')[^']{1,2000}('|$)/g, "'…'"],
  [/`(?![\w.:/[\]-]{1,64}`)[^`]{1,2000}(`|$)/g, '`…`'],
  [/\b(?=[\w-]*\d)[\w-]{32,}/g, '[key]'],
]

/**
 * A short piece of what a provider wrote, fit for logs and operators: one line, without keys, accounts, addresses,
 * numbers of people or quoted prompt text. Empty when there is nothing to say.
 */
export function sanitizeVendorText(text: string, secret: string | undefined): string {
  let clean = text.slice(0, MAX_INSPECTED_CHARACTERS)
  if (secret !== undefined && secret.length > 0) clean = clean.replaceAll(secret, '[key]')
  clean = clean.replace(/[\p{C}\s]+/gu, ' ').trim()
  if (/^<(?:!doctype|html|\?xml)/i.test(clean)) return ''
  for (const [pattern, replacement] of REDACTIONS) clean = clean.replace(pattern, replacement)
  return clean.length > MAX_MESSAGE_CHARACTERS ? `${clean.slice(0, MAX_MESSAGE_CHARACTERS - 1)}…` : clean
}
