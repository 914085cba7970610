/**
 * How many words a text has as they are written: between white space, whatever marks are in them. Marks that stand alone are
 * no words, since recognisers set and take them as they please.
 */
export function countSpacedWords(text: string): number {
  return wordStarts(text).length
}

/** The text behind so many of its words, as they are counted here. */
export function textAfterWords(text: string, count: number): string {
  const start = count === 0 ? 0 : wordStarts(text)[count]
  return start === undefined ? '' : text.slice(start)
}

function wordStarts(text: string): number[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: part, index }) => (/[\p{L}\p{N}]/u.test(part) ? [index] : []))
}
