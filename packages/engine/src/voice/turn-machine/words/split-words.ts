/** The words of a text: lower case, without punctuation. Apostrophes within words stay, and so do `@` and digits. */
export function splitWords(text: string): string[] {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[’ʼ]/gu, "'")
    .replace(/[^\p{L}\p{M}\p{N}'@+]+/gu, ' ')
  return plain.split(' ').flatMap((word) => trimApostrophes(word) || [])
}

/** Whether a text says the same words as another: case and punctuation may differ. */
export function haveSameWords(one: string, other: string): boolean {
  return one === other || splitWords(one).join(' ') === splitWords(other).join(' ')
}

/** The longest entry of at most three words with which the words go on at `start`; 0: none. */
export function phraseLength(words: readonly string[], start: number, phrases: ReadonlySet<string>): number {
  for (let length = Math.min(3, words.length - start); length > 0; length -= 1) {
    if (phrases.has(words.slice(start, start + length).join(' '))) return length
  }
  return 0
}

/** Whether the words end with an entry. */
export function endsWithPhrase(words: readonly string[], phrases: ReadonlySet<string>): boolean {
  for (let length = Math.min(3, words.length); length > 0; length -= 1) {
    if (phrases.has(words.slice(-length).join(' '))) return true
  }
  return false
}

function trimApostrophes(word: string): string {
  // French elisions ("l'") end with one and are words of their own.
  return word.replace(/^'+/u, '').replace(/(?<!')'{2,}$/u, "'")
}
