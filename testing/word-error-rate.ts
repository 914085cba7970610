const splitWords = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9\s]/g, '')
    .split(/\s+/)
    .filter((word) => word !== '')

/** Returns the number of words to insert, remove or replace, relative to the number of expected words. Ignores punctuation. */
export function measureWordErrorRate(expectedText: string, text: string): number {
  const expectedWords = splitWords(expectedText)
  const words = splitWords(text)
  let distances = [0, ...words.map((_, index) => index + 1)]
  for (const [row, expectedWord] of expectedWords.entries()) {
    const nextDistances = [row + 1]
    for (const [column, word] of words.entries()) {
      const replaced = (distances[column] ?? 0) + (word === expectedWord ? 0 : 1)
      nextDistances.push(Math.min(replaced, (distances[column + 1] ?? 0) + 1, (nextDistances[column] ?? 0) + 1))
    }
    distances = nextDistances
  }
  return (distances.at(-1) ?? 0) / expectedWords.length
}
