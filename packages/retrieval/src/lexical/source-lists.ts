import { ensureCapacity } from './vocabulary.ts'

const NONE = -1
/** Numbers per list entry: subject, two values, next entry. */
const ENTRY = 4
const NEXT = 3

/** Stores the sources with postings of each word, and the terms under which each word is indexed. */
export class SourceLists {
  #frequencies = new Int32Array(64)
  #firstPostings = new Int32Array(64).fill(NONE)
  #firstAliases = new Int32Array(64).fill(NONE)
  #entries = new Int32Array(256)
  #length = 0
  #words = 0

  get sizeBytes(): number {
    const arrays = [this.#frequencies, this.#firstPostings, this.#firstAliases, this.#entries]
    return arrays.reduce((sum, array) => sum + array.byteLength, 0)
  }

  /** Returns the number of chunks that contain the term. */
  getFrequency(word: number): number {
    return word < this.#words ? (this.#frequencies[word] as number) : 0
  }

  /** Whether the word has postings or terms. */
  isUsed(word: number): boolean {
    return this.getFrequency(word) > 0 || this.listAliases(word).length > 0
  }

  /** Adds a source's postings of a word, given their offset and number. */
  addPostings(word: number, source: number, start: number, frequency: number): void {
    this.#ensureWord(word)
    this.#frequencies[word] = this.getFrequency(word) + frequency
    this.#firstPostings[word] = this.#prepend(this.#firstPostings[word] as number, source, start, frequency)
  }

  /** Subtracts the postings of a removed source. Its entries remain until the lists are rebuilt. */
  removePostings(word: number, frequency: number): void {
    this.#frequencies[word] = this.getFrequency(word) - frequency
  }

  visitPostings(word: number, visit: (source: number, start: number, frequency: number) => void): void {
    const entries = this.#entries
    for (
      let entry = this.#getHead(this.#firstPostings, word);
      entry !== NONE;
      entry = entries[entry + NEXT] as number
    ) {
      visit(entries[entry] as number, entries[entry + 1] as number, entries[entry + 2] as number)
    }
  }

  /** Adds `count` to the number of sources that index the word under the term. */
  addAlias(word: number, term: number, count: 1 | -1): void {
    this.#ensureWord(word)
    const entries = this.#entries
    for (let entry = this.#getHead(this.#firstAliases, word); entry !== NONE; entry = entries[entry + NEXT] as number) {
      if (entries[entry] !== term) continue
      entries[entry + 1] = (entries[entry + 1] as number) + count
      return
    }
    this.#firstAliases[word] = this.#prepend(this.#firstAliases[word] as number, term, count, 0)
  }

  /** Returns the terms under which the word is indexed. */
  listAliases(word: number): number[] {
    const terms: number[] = []
    const entries = this.#entries
    for (let entry = this.#getHead(this.#firstAliases, word); entry !== NONE; entry = entries[entry + NEXT] as number) {
      if ((entries[entry + 1] as number) > 0) terms.push(entries[entry] as number)
    }
    return terms
  }

  #getHead(firstEntries: Int32Array, word: number): number {
    return word < this.#words ? (firstEntries[word] as number) : NONE
  }

  #ensureWord(word: number): void {
    if (word < this.#words) return
    const capacity = this.#frequencies.length
    this.#frequencies = ensureCapacity(this.#frequencies, word + 1)
    this.#firstPostings = ensureCapacity(this.#firstPostings, word + 1)
    this.#firstAliases = ensureCapacity(this.#firstAliases, word + 1)
    if (this.#firstPostings.length > capacity) {
      this.#firstPostings.fill(NONE, capacity)
      this.#firstAliases.fill(NONE, capacity)
    }
    this.#words = word + 1
  }

  #prepend(next: number, key: number, value: number, extra: number): number {
    const entry = this.#length
    this.#length += ENTRY
    this.#entries = ensureCapacity(this.#entries, this.#length)
    this.#entries[entry] = key
    this.#entries[entry + 1] = value
    this.#entries[entry + 2] = extra
    this.#entries[entry + NEXT] = next
    return entry
  }
}
