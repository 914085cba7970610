import { type RawBuilder, sql } from 'kysely'

/** A `like` pattern for texts that contain this one, with `\` as escape. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Whether a column contains the text as written or in lower case; databases differ in case folding beyond ASCII. */
export function containsText(columns: readonly RawBuilder<unknown>[], text: string): RawBuilder<boolean> {
  const patterns = [...new Set([lowerCaseAscii(text), text.toLowerCase()].map(likePattern))]
  const conditions = columns.flatMap((column) =>
    patterns.map((pattern) => sql`lower(${column}) like ${pattern} escape '\\'`),
  )
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

const lowerCaseAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Text that every database stores unchanged: replaces lone surrogates with U+FFFD and removes NUL. */
export function storableText(text: string): string {
  return withoutNul(text).toWellFormed()
}

/** Removes NUL only, since a part of a text may end within a surrogate pair. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
