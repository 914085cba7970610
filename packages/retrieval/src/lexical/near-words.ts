import { toLetterBits, type Vocabulary } from './vocabulary.ts'

/** A word of the vocabulary with its edit distance, at least 1. */
export interface NearWord {
  readonly number: number
  readonly distance: number
}

/** Finds the used words at most `limit` edits from `word`, in no particular order. `word` has no marks. */
export function findNearWords(
  vocabulary: Vocabulary,
  { word, limit }: { readonly word: string; readonly limit: number },
  isUsed: (word: number) => boolean,
): NearWord[] {
  const matches: NearWord[] = []
  const measure = new EditDistance(word)
  const units = new Uint16Array(word.length + limit)
  for (const number of vocabulary.candidates(word.length, toLetterBits(word), limit)) {
    const distance = measure.computeDistance(units, vocabulary.copyLetters(number, units), limit)
    if (distance > 0 && distance <= limit && isUsed(number)) matches.push({ number, distance })
  }
  return matches
}

/** Measures the Damerau-Levenshtein distance (optimal string alignment). */
class EditDistance {
  readonly #word: string
  #before: number[]
  #previous: number[]
  #current: number[]

  constructor(word: string) {
    this.#word = word
    this.#before = new Array<number>(word.length + 1).fill(0)
    this.#previous = [...this.#before]
    this.#current = [...this.#before]
  }

  /** Returns the distance, or `limit` + 1 if the distance is larger. */
  computeDistance(other: Uint16Array, otherLength: number, limit: number): number {
    const { length } = this.#word
    for (let column = 0; column <= length; column++) this.#previous[column] = column
    for (let row = 1; row <= otherLength; row++) {
      if (this.#fillRow(other, row) > limit) return limit + 1
      const spare = this.#before
      this.#before = this.#previous
      this.#previous = this.#current
      this.#current = spare
    }
    return Math.min(this.#previous[length] as number, limit + 1)
  }

  /** Returns the smallest distance of the row. */
  #fillRow(other: Uint16Array, row: number): number {
    const word = this.#word
    const previous = this.#previous
    const current = this.#current
    const letter = other[row - 1] as number
    const letterBefore = row > 1 ? (other[row - 2] as number) : -1
    current[0] = row
    let smallest = row
    for (let column = 1; column <= word.length; column++) {
      const codeUnit = word.charCodeAt(column - 1)
      let cost = (previous[column - 1] as number) + (codeUnit === letter ? 0 : 1)
      cost = Math.min(cost, (previous[column] as number) + 1, (current[column - 1] as number) + 1)
      if (column > 1 && codeUnit === letterBefore && word.charCodeAt(column - 2) === letter) {
        cost = Math.min(cost, (this.#before[column - 2] as number) + 1)
      }
      current[column] = cost
      if (cost < smallest) smallest = cost
    }
    return smallest
  }
}
