import { toLetterBits, type Vocabulary } from './vocabulary.ts'

/** A word of the vocabulary with its edit distance, at least 1. */
export interface SimilarWord {
  readonly number: number
  readonly distance: number
}

/** Finds the used words at most `limit` edits from `word`, in no particular order. `word` must not have diacritics. */
export function findSimilarWords(
  vocabulary: Vocabulary,
  { word, limit }: { readonly word: string; readonly limit: number },
  isUsed: (word: number) => boolean,
): SimilarWord[] {
  const matches: SimilarWord[] = []
  const editDistance = new EditDistance(word)
  const letters = new Uint16Array(word.length + limit)
  for (const number of vocabulary.findCandidates(word.length, toLetterBits(word), limit)) {
    const distance = editDistance.computeDistance(letters, vocabulary.copyLetters(number, letters), limit)
    if (distance > 0 && distance <= limit && isUsed(number)) matches.push({ number, distance })
  }
  return matches
}

/** Measures the Damerau-Levenshtein distance (optimal string alignment). */
class EditDistance {
  readonly #word: string
  #beforePrevious: number[]
  #previous: number[]
  #current: number[]

  constructor(word: string) {
    this.#word = word
    this.#beforePrevious = new Array<number>(word.length + 1).fill(0)
    this.#previous = [...this.#beforePrevious]
    this.#current = [...this.#beforePrevious]
  }

  /** Returns the distance, or `limit` + 1 if the distance is larger. */
  computeDistance(candidate: Uint16Array, candidateLength: number, limit: number): number {
    const { length } = this.#word
    for (let column = 0; column <= length; column++) this.#previous[column] = column
    for (let row = 1; row <= candidateLength; row++) {
      if (this.#fillRow(candidate, row) > limit) return limit + 1
      const reusedRow = this.#beforePrevious
      this.#beforePrevious = this.#previous
      this.#previous = this.#current
      this.#current = reusedRow
    }
    return Math.min(this.#previous[length] as number, limit + 1)
  }

  /** Returns the smallest distance of the row. */
  #fillRow(candidate: Uint16Array, row: number): number {
    const word = this.#word
    const previous = this.#previous
    const current = this.#current
    const letter = candidate[row - 1] as number
    const previousLetter = row > 1 ? (candidate[row - 2] as number) : -1
    current[0] = row
    let minimum = row
    for (let column = 1; column <= word.length; column++) {
      const codeUnit = word.charCodeAt(column - 1)
      let cost = (previous[column - 1] as number) + (codeUnit === letter ? 0 : 1)
      cost = Math.min(cost, (previous[column] as number) + 1, (current[column - 1] as number) + 1)
      if (column > 1 && codeUnit === previousLetter && word.charCodeAt(column - 2) === letter) {
        cost = Math.min(cost, (this.#beforePrevious[column - 2] as number) + 1)
      }
      current[column] = cost
      if (cost < minimum) minimum = cost
    }
    return minimum
  }
}
