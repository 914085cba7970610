import { type RawBuilder, sql } from 'kysely'

/** For `like` with `\` as its escape: texts that have this one somewhere. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/**
 * Whether the text stands in one of the columns, as it was written or in small letters: databases make ASCII letters small and
 * do not agree about others.
 */
export function containsText(columns: readonly RawBuilder<unknown>[], text: string): RawBuilder<boolean> {
  const patterns = [...new Set([lowerCaseAscii(text), text.toLowerCase()].map(likePattern))]
  const conditions = columns.flatMap((column) =>
    patterns.map((pattern) => sql`lower(${column}) like ${pattern} escape '\\'`),
  )
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

const lowerCaseAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * Text as every database keeps it, so that what is answered is what is stored: half of a surrogate pair becomes U+FFFD, as
 * SQLite would make it, and NUL, which PostgreSQL refuses, is left out.
 */
export function storableText(text: string): string {
  return withoutNul(text).toWellFormed()
}

/** A part of a text: pairs may be cut between two parts, so only NUL goes. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
