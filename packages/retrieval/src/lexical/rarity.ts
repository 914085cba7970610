/**
 * Counts beside the passages that there are, as if they had none of the words: in a knowledge base of three passages a word that
 * one of them has is rare, too.
 */
const ASSUMED_PASSAGES = 20

/** The inverse document frequency of BM25, above 0. A word that no passage has is as rare as one that a single passage has. */
export function rarity(frequency: number, chunkCount: number): number {
  const counted = Math.max(1, frequency)
  return Math.log(1 + (chunkCount + ASSUMED_PASSAGES - counted + 0.5) / (counted + 0.5))
}
