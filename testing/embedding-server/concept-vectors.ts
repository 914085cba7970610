/** Groups of synonyms. Each group is a concept, and its members are words or phrases in lower case. */
export type SynonymGroups = readonly (readonly string[])[]

/** Creates the vector of a text. Equal texts have equal vectors. */
export type CreateVector = (text: string) => Float32Array

export interface ConceptVectorOptions {
  readonly synonyms?: SynonymGroups
  readonly dimensions?: number
}

/** Weight of a concept, which exceeds the weight of the exact word. */
const CONCEPT_WEIGHT = 1
const WORD_WEIGHT = 0.35
/** Weight of words of up to three letters, which mostly have no meaning of their own. */
const SHORT_WORD_WEIGHT = 0.05
const MAX_PHRASE_WORDS = 4

/**
 * Creates vectors with meaning, without a model: a bag of concepts from a synonym table and of hashed words, each with its own
 * direction. Texts that use synonyms are similar; all other texts are practically unrelated.
 */
export function createConceptVectors({ synonyms = [], dimensions = 256 }: ConceptVectorOptions = {}): CreateVector {
  const concepts = new Map<string, string>()
  for (const [index, group] of synonyms.entries()) {
    for (const phrase of group) concepts.set(splitWords(phrase).join(' '), `concept ${index}`)
  }
  return (text) => {
    const vector = new Float32Array(dimensions)
    const words = splitWords(text)
    for (let index = 0; index < words.length; ) {
      const phrase = findPhrase(words, index, concepts)
      if (phrase !== null) {
        addDirection(vector, phrase.concept, CONCEPT_WEIGHT)
        index += phrase.length
        continue
      }
      const word = words[index] ?? ''
      addDirection(vector, `word ${word.slice(0, 6)}`, word.length > 3 ? WORD_WEIGHT : SHORT_WORD_WEIGHT)
      index += 1
    }
    // A text without words also needs a direction.
    if (words.length === 0) addDirection(vector, 'nothing', WORD_WEIGHT)
    return vector
  }
}

function splitWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Returns the longest phrase in the table that starts at a word. */
function findPhrase(words: readonly string[], start: number, concepts: ReadonlyMap<string, string>) {
  for (let length = Math.min(MAX_PHRASE_WORDS, words.length - start); length > 0; length -= 1) {
    const concept = concepts.get(words.slice(start, start + length).join(' '))
    if (concept !== undefined) return { concept, length }
  }
  return null
}

/** Adds a direction that depends only on the name: one of two signs per dimension. */
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
