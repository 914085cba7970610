/** Replaces runs of whitespace, including line breaks, with single spaces. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Joins the nonblank parts of a prompt. */
export function joinParagraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}
