/** What words mean the same: each group is a concept, its members are words or phrases, in lower case. */
export type SynonymGroups = readonly (readonly string[])[]

/** Makes the vector of a text. The same text always has the same one. */
export type VectorOf = (text: string) => Float32Array

export interface ConceptVectorOptions {
  readonly synonyms?: SynonymGroups
  readonly dimensions?: number
}

/** A concept weighs more than the exact word. */
const CONCEPT_WEIGHT = 1
const WORD_WEIGHT = 0.35
/** Words of up to three letters are mostly the glue of a sentence. */
const SHORT_WORD_WEIGHT = 0.05
const MAX_PHRASE_WORDS = 4

/**
 * Vectors with meaning, without a model: a bag of concepts of a synonym table and of hashed words, each in a direction of its
 * own. Texts that say the same in other words of the table come near each other; all others are as good as unrelated.
 */
export function conceptVectors({ synonyms = [], dimensions = 256 }: ConceptVectorOptions = {}): VectorOf {
  const concepts = new Map<string, string>()
  for (const [index, group] of synonyms.entries()) {
    for (const phrase of group) concepts.set(wordsOf(phrase).join(' '), `concept ${index}`)
  }
  return (text) => {
    const vector = new Float32Array(dimensions)
    const words = wordsOf(text)
    for (let index = 0; index < words.length; ) {
      const phrase = phraseAt(words, index, concepts)
      if (phrase !== null) {
        addDirection(vector, phrase.concept, CONCEPT_WEIGHT)
        index += phrase.length
        continue
      }
      const word = words[index] ?? ''
      addDirection(vector, `word ${word.slice(0, 6)}`, word.length > 3 ? WORD_WEIGHT : SHORT_WORD_WEIGHT)
      index += 1
    }
    // A text without words points somewhere too.
    if (words.length === 0) addDirection(vector, 'nothing', WORD_WEIGHT)
    return vector
  }
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** The longest phrase of the table that starts at a word. */
function phraseAt(words: readonly string[], from: number, concepts: ReadonlyMap<string, string>) {
  for (let length = Math.min(MAX_PHRASE_WORDS, words.length - from); length > 0; length -= 1) {
    const concept = concepts.get(words.slice(from, from + length).join(' '))
    if (concept !== undefined) return { concept, length }
  }
  return null
}

/** Adds a direction that only the name decides: of each dimension one of the two signs. */
function addDirection(vector: Float32Array, name: string, weight: number): void {
  let state = 0x811c9dc5
  for (let index = 0; index < name.length; index += 1) state = Math.imul(state ^ name.charCodeAt(index), 0x01000193)
  const step = weight / Math.sqrt(vector.length)
  for (let index = 0; index < vector.length; index += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39)
    vector[index] = (vector[index] ?? 0) + ((mixed ^ (mixed >>> 16)) & 1 ? step : -step)
  }
}
