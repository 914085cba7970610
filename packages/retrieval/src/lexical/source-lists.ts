import { ensureCapacity } from './growing-array.ts'

const NONE = -1
/** Numbers that an entry of a list takes: what it is about, a number beside it, another one, and the next entry. */
const ENTRY = 4
const NEXT = 3

/** For each word the sources that have postings of it, and the terms that it stands under. Words are numbers. */
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

  /** In how many chunks a term stands. */
  frequency(word: number): number {
    return word < this.#words ? (this.#frequencies[word] as number) : 0
  }

  /** Whether anything stands under the word. */
  isUsed(word: number): boolean {
    return this.frequency(word) > 0 || this.aliases(word).length > 0
  }

  /** A source has postings of a term: where they begin among its bytes, and how many there are. */
  addPostings(word: number, source: number, start: number, frequency: number): void {
    this.#include(word)
    this.#frequencies[word] = this.frequency(word) + frequency
    this.#firstPostings[word] = this.#prepend(this.#firstPostings[word] as number, source, start, frequency)
  }

  /** Those of a source that is gone are no longer counted; they are passed over until the lists are built anew. */
  removePostings(word: number, frequency: number): void {
    this.#frequencies[word] = this.frequency(word) - frequency
  }

  visitPostings(word: number, visit: (source: number, start: number, frequency: number) => void): void {
    const entries = this.#entries
    for (let entry = this.#first(this.#firstPostings, word); entry !== NONE; entry = entries[entry + NEXT] as number) {
      visit(entries[entry] as number, entries[entry + 1] as number, entries[entry + 2] as number)
    }
  }

  /** Counts how many sources index the word under the term. */
  addAlias(word: number, term: number, count: 1 | -1): void {
    this.#include(word)
    const entries = this.#entries
    for (let entry = this.#first(this.#firstAliases, word); entry !== NONE; entry = entries[entry + NEXT] as number) {
      if (entries[entry] !== term) continue
      entries[entry + 1] = (entries[entry + 1] as number) + count
      return
    }
    this.#firstAliases[word] = this.#prepend(this.#firstAliases[word] as number, term, count, 0)
  }

  /** Terms that a word stands under. */
  aliases(word: number): number[] {
    const terms: number[] = []
    const entries = this.#entries
    for (let entry = this.#first(this.#firstAliases, word); entry !== NONE; entry = entries[entry + NEXT] as number) {
      if ((entries[entry + 1] as number) > 0) terms.push(entries[entry] as number)
    }
    return terms
  }

  #first(firstEntries: Int32Array, word: number): number {
    return word < this.#words ? (firstEntries[word] as number) : NONE
  }

  #include(word: number): void {
    if (word < this.#words) return
    const room = this.#frequencies.length
    this.#frequencies = ensureCapacity(this.#frequencies, word + 1)
    this.#firstPostings = ensureCapacity(this.#firstPostings, word + 1)
    this.#firstAliases = ensureCapacity(this.#firstAliases, word + 1)
    if (this.#firstPostings.length > room) {
      this.#firstPostings.fill(NONE, room)
      this.#firstAliases.fill(NONE, room)
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
