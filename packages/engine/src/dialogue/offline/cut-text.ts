/** Cutting that an expression such as `\s+$` would do in quadratic time. */

function isSpace(character: string): boolean {
  return character.trim() === ''
}

/** The text without white space and these marks at its end. */
export function trimEndMarks(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && (isSpace(text.charAt(end - 1)) || marks.includes(text.charAt(end - 1)))) end--
  return text.slice(0, end)
}

/** The text up to the first match, without white space at its end; the whole text when nothing matches. */
export function cutBefore(text: string, pattern: RegExp): string {
  const at = text.search(pattern)
  return at < 0 ? text : text.slice(0, at).trimEnd()
}

/** The parts between matches, trimmed. */
export function splitTrimmed(text: string, separator: RegExp): string[] {
  return text.split(separator).map((part) => part.trim())
}

/** Lines as a list of one line: list marks and empty lines go. */
export function joinLines(text: string): string {
  return text
    .split('\n')
    .map((line, position) => (position === 0 ? line : line.trim().replace(/^(?:[-*•]|\d{1,3}[.)])\s*/, '')))
    .filter((line, position) => position === 0 || line !== '')
    .join(', ')
}

/** The last question of a text that ends with one, '' otherwise. */
export function endingQuestion(text: string): string {
  const end = text.trimEnd()
  if (!end.endsWith('?')) return ''
  return end.slice(end.lastIndexOf('?', end.length - 2) + 1)
}
