/** Replaces runs of whitespace, including line breaks, by single spaces. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Joins the parts of a prompt that are not blank. */
export function joinParagraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n')
}
