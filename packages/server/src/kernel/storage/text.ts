import { type RawBuilder, sql } from 'kysely'

/** Builds a `like` pattern that matches texts containing this text, with `\` as the escape character. */
export const buildLikePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Builds the condition that a column contains the text, ignoring case. Databases lower-case non-ASCII letters differently. */
export function containsText(columns: readonly RawBuilder<unknown>[], text: string): RawBuilder<boolean> {
  const patterns = [...new Set([toLowerCaseAscii(text), text.toLowerCase()].map(buildLikePattern))]
  const conditions = columns.flatMap((column) =>
    patterns.map((pattern) => sql`lower(${column}) like ${pattern} escape '\\'`),
  )
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

const toLowerCaseAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Returns text that every database stores unchanged: replaces lone surrogates with U+FFFD and removes NUL. */
export function toStorableText(text: string): string {
  return removeNul(text).toWellFormed()
}

/** Removes NUL only, because a fragment of text can end within a surrogate pair. */
export function removeNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
