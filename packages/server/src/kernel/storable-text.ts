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
