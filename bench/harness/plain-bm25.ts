/** A passage as plain text. */
export interface PlainPassage {
  readonly key: string
  readonly text: string
}

const K1 = 1.2
const B = 0.75

/** Creates an Okapi BM25 search over lowercase Unicode words, which serves as the baseline. It returns keys, best first. */
export function createPlainBm25(passages: readonly PlainPassage[]): (question: string, limit: number) => string[] {
  const postings = new Map<string, Map<number, number>>()
  const lengths = passages.map(({ text }, passage) => {
    const words = splitWords(text)
    for (const word of words) {
      const wordPostings = postings.get(word) ?? new Map<number, number>()
      postings.set(word, wordPostings.set(passage, (wordPostings.get(passage) ?? 0) + 1))
    }
    return words.length
  })
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  return (question, limit) => {
    const scores = new Map<number, number>()
    for (const word of splitWords(question)) {
      const wordPostings = postings.get(word) ?? new Map<number, number>()
      const inverseDocumentFrequency = Math.log(
        1 + (lengths.length - wordPostings.size + 0.5) / (wordPostings.size + 0.5),
      )
      for (const [passage, count] of wordPostings) {
        const norm = K1 * (1 - B + (B * (lengths[passage] ?? 0)) / averageLength)
        scores.set(passage, (scores.get(passage) ?? 0) + (inverseDocumentFrequency * count * (K1 + 1)) / (count + norm))
      }
    }
    const ranked = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0])
    return ranked.slice(0, limit).flatMap(([passage]) => passages[passage]?.key ?? [])
  }
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}
