/** Counts words separated by whitespace. Standalone punctuation does not count, since transcribers add and remove it. */
export function countSpacedWords(text: string): number {
  return wordStarts(text).length
}

/** The text after `count` words. */
export function textAfterWords(text: string, count: number): string {
  const start = count === 0 ? 0 : wordStarts(text)[count]
  return start === undefined ? '' : text.slice(start)
}

function wordStarts(text: string): number[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: part, index }) => (/[\p{L}\p{N}]/u.test(part) ? [index] : []))
}
