const MAX_FILENAME_LENGTH = 255
const UNSAFE_CHARACTERS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Returns a base name without folders and control characters, at most 255 characters long including the extension. */
export function sanitizeFilename(filename: string): string {
  const baseName = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  const name = baseName.toWellFormed().replace(UNSAFE_CHARACTERS, '').trim()
  if (name === '.' || name === '..') return ''
  if (name.length <= MAX_FILENAME_LENGTH) return name
  const extension = /\.[^.]{1,20}$/.exec(name)?.[0] ?? ''
  return dropSplitSurrogate(name.slice(0, MAX_FILENAME_LENGTH - extension.length)) + extension
}

function dropSplitSurrogate(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}
