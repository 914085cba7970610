import { lettersOf, type Vocabulary } from './vocabulary.ts'

/** What words of a vocabulary are looked for. */
export interface WordPattern {
  /** Without marks. */
  readonly word: string
  /** Words that differ by so many letters put in, left out, changed or swapped with their neighbour. 0: none. */
  readonly distance: number
  /** Words that begin with it. */
  readonly isPrefix: boolean
  /** Words that hold it anywhere. */
  readonly isSubstring: boolean
}

/** A word that is like a pattern: it holds it, or is some letters away. The terms of neighbours are none. */
export interface NearWord {
  readonly number: number
  readonly kind: 'contains' | 'distance'
  /** Of kind `distance`: in letters, else 0. */
  readonly distance: number
}

/** Finds the words of a vocabulary that are like a pattern, in no particular order. Looks at each word's letters only, first. */
export function nearWords(vocabulary: Vocabulary, pattern: WordPattern, isUsed: (word: number) => boolean): NearWord[] {
  const found: NearWord[] = []
  const { word, distance } = pattern
  const letters = lettersOf(word)
  const { length } = word
  const contains = pattern.isPrefix || pattern.isSubstring
  const bytes = new TextEncoder().encode(word)
  const measure = new EditDistance(word)
  const units = new Uint16Array(length + distance)
  for (const number of vocabulary.candidates(length, letters, distance, contains)) {
    const longer = vocabulary.lengthOf(number) - length
    if (contains && longer > 0 && vocabulary.contains(number, bytes, !pattern.isSubstring)) {
      if (isUsed(number)) found.push({ number, kind: 'contains', distance: 0 })
    } else if (distance > 0 && longer <= distance) {
      const apart = measure.to(units, vocabulary.copyLetters(number, units), distance)
      if (apart > 0 && apart <= distance && isUsed(number)) found.push({ number, kind: 'distance', distance: apart })
    }
  }
  return found
}

/**
 * How many letters have to be put in, left out, changed or swapped with their neighbour to make a word another (Damerau-Levenshtein,
 * no letter touched twice).
 */
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

  /** `limit` + 1 for more than `limit`. */
  to(other: Uint16Array, otherLength: number, limit: number): number {
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

  /** The least number of the row. */
  #fillRow(other: Uint16Array, row: number): number {
    const word = this.#word
    const previous = this.#previous
    const current = this.#current
    const letter = other[row - 1] as number
    const letterBefore = row > 1 ? (other[row - 2] as number) : -1
    current[0] = row
    let least = row
    for (let column = 1; column <= word.length; column++) {
      const own = word.charCodeAt(column - 1)
      let cost = (previous[column - 1] as number) + (own === letter ? 0 : 1)
      cost = Math.min(cost, (previous[column] as number) + 1, (current[column - 1] as number) + 1)
      if (column > 1 && own === letterBefore && word.charCodeAt(column - 2) === letter) {
        cost = Math.min(cost, (this.#before[column - 2] as number) + 1)
      }
      current[column] = cost
      if (cost < least) least = cost
    }
    return least
  }
}
