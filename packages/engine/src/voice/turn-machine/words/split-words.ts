/** Splits a text into lowercase words without punctuation. Apostrophes inside words, `@` and digits stay. */
export function splitWords(text: string): string[] {
  const normalizedText = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’ʼ]/gu, "'")
    .replace(/[^\p{L}\p{M}\p{N}'@+]+/gu, ' ')
  return normalizedText.split(' ').flatMap((word) => trimApostrophes(word) || [])
}

/** Whether two texts have the same words, ignoring case and punctuation. */
export function haveSameWords(first: string, second: string): boolean {
  return first === second || splitWords(first).join(' ') === splitWords(second).join(' ')
}

/** Returns the length of the longest phrase of at most three words at `start`, or 0 if there is none. */
export function getPhraseLength(words: readonly string[], start: number, phrases: ReadonlySet<string>): number {
  for (let length = Math.min(3, words.length - start); length > 0; length -= 1) {
    if (phrases.has(words.slice(start, start + length).join(' '))) return length
  }
  return 0
}

/** Whether the words end with a phrase. */
export function endsWithPhrase(words: readonly string[], phrases: ReadonlySet<string>): boolean {
  for (let length = Math.min(3, words.length); length > 0; length -= 1) {
    if (phrases.has(words.slice(-length).join(' '))) return true
  }
  return false
}

function trimApostrophes(word: string): string {
  // French elisions such as "l'" are words that end with an apostrophe.
  return word.replace(/^'+/u, '').replace(/(?<!')'{2,}$/u, "'")
}

/** Counts words separated by whitespace. Standalone punctuation does not count, because transcribers add and remove it. */
export function countSpacedWords(text: string): number {
  return findWordStarts(text).length
}

/** Returns the text after `count` words. */
export function getTextAfterWords(text: string, count: number): string {
  const start = count === 0 ? 0 : findWordStarts(text)[count]
  return start === undefined ? '' : text.slice(start)
}

function findWordStarts(text: string): number[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: part, index }) => (/[\p{L}\p{N}]/u.test(part) ? [index] : []))
}
