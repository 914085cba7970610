const NONE = -1
/** Maximum UTF-8 bytes per UTF-16 unit. */
const BYTES_PER_UNIT = 3

/** Assigns numbers to words, which are stored in one byte array for fast lookups. */
export class Vocabulary {
  #bytes = new Uint8Array(1024)
  /** Start of each word, plus the end of the last one. */
  #starts = new Int32Array(64)
  #hashes = new Int32Array(64)
  /** Letter bits and lengths of words, used to filter candidates for similar words. */
  #letters = new Uint32Array(64)
  #lengths = new Uint8Array(64)
  #table = new Int32Array(256).fill(NONE)
  #count = 0
  #query = new Uint8Array(256)
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder()

  get count(): number {
    return this.#count
  }

  get sizeBytes(): number {
    const arrays = [this.#bytes, this.#starts, this.#hashes, this.#letters, this.#lengths, this.#table]
    return arrays.reduce((sum, array) => sum + array.byteLength, 0)
  }

  /** Returns the number of the word in `bytes`. Adds the word if it is new. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashBytes(bytes, from, to)
    const slot = this.#findSlot(bytes, from, to, hash)
    const existingWord = this.#table[slot] as number
    return existingWord === NONE ? this.#append(bytes, from, to, hash, slot) : existingWord
  }

  /** Returns the number of a word, or -1 if the word is unknown. */
  find(word: string): number {
    const length = this.#encode(word)
    return this.#table[this.#findSlot(this.#query, 0, length, hashBytes(this.#query, 0, length))] as number
  }

  getText(word: number): string {
    return this.#decoder.decode(this.#bytes.subarray(this.#starts[word], this.#starts[word + 1]))
  }

  /** Returns words that can be within `distance` edits of a word with these letters. */
  findCandidates(length: number, letters: number, distance: number): number[] {
    const matches: number[] = []
    const count = this.#count
    const lengths = this.#lengths
    const allLetters = this.#letters
    for (let word = 0; word < count; word++) {
      if (Math.abs((lengths[word] as number) - length) > distance) continue
      const wordLetters = allLetters[word] as number
      // An edit removes at most one letter and adds at most one.
      if (hasAtMostBits(letters & ~wordLetters, distance) && hasAtMostBits(wordLetters & ~letters, distance))
        matches.push(word)
    }
    return matches
  }

  /** Copies the letters of a word into `letters`, which must be large enough. Returns the number of letters. */
  copyLetters(word: number, letters: Uint16Array): number {
    const start = this.#starts[word] as number
    const length = this.#lengths[word] as number
    // The word is ASCII if it has as many bytes as letters.
    if ((this.#starts[word + 1] as number) - start === length) {
      for (let index = 0; index < length; index++) letters[index] = this.#bytes[start + index] as number
      return length
    }
    const text = this.getText(word)
    for (let index = 0; index < text.length; index++) letters[index] = text.charCodeAt(index)
    return text.length
  }

  /** Encodes a query word and returns its number of bytes. */
  #encode(word: string): number {
    if (word.length * BYTES_PER_UNIT > this.#query.length) this.#query = new Uint8Array(word.length * BYTES_PER_UNIT)
    for (let index = 0; index < word.length; index++) {
      const unit = word.charCodeAt(index)
      if (unit > 127) return this.#encoder.encodeInto(word, this.#query).written
      this.#query[index] = unit
    }
    return word.length
  }

  #findSlot(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.#table.length - 1
    let slot = hash & mask
    for (;;) {
      const word = this.#table[slot] as number
      if (word === NONE || (this.#hashes[word] === hash && this.#equals(word, bytes, from, to))) return slot
      slot = (slot + 1) & mask
    }
  }

  #equals(word: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[word] as number
    if ((this.#starts[word + 1] as number) - start !== to - from) return false
    for (let index = from; index < to; index++) if (this.#bytes[start + index - from] !== bytes[index]) return false
    return true
  }

  #append(bytes: Uint8Array, from: number, to: number, hash: number, slot: number): number {
    const word = this.#count++
    const start = this.#starts[word] as number
    this.#bytes = ensureCapacity(this.#bytes, start + to - from)
    this.#bytes.set(bytes.subarray(from, to), start)
    this.#starts = ensureCapacity(this.#starts, word + 2)
    this.#starts[word + 1] = start + to - from
    this.#hashes = ensureCapacity(this.#hashes, word + 1)
    this.#hashes[word] = hash
    this.#letters = ensureCapacity(this.#letters, word + 1)
    this.#lengths = ensureCapacity(this.#lengths, word + 1)
    this.#indexLetters(word)
    this.#table[slot] = word
    if (this.#count * 2 > this.#table.length) this.#enlargeTable()
    return word
  }

  #indexLetters(word: number): void {
    const end = this.#starts[word + 1] as number
    let letters = 0
    let length = 0
    for (let index = this.#starts[word] as number; index < end; ) {
      const byte = this.#bytes[index] as number
      if (byte < 128) {
        letters |= 1 << (byte & 31)
        length++
        index++
        continue
      }
      const text = this.getText(word)
      letters = toLetterBits(text)
      length = text.length
      break
    }
    this.#letters[word] = letters
    this.#lengths[word] = Math.min(length, 255)
  }

  #enlargeTable(): void {
    this.#table = new Int32Array(this.#table.length * 2).fill(NONE)
    const mask = this.#table.length - 1
    for (let word = 0; word < this.#count; word++) {
      let slot = (this.#hashes[word] as number) & mask
      while (this.#table[slot] !== NONE) slot = (slot + 1) & mask
      this.#table[slot] = word
    }
  }
}

/** Returns the letters of a word as a bit set. Several letters can share a bit. */
export function toLetterBits(word: string): number {
  let letters = 0
  for (let index = 0; index < word.length; index++) letters |= 1 << (word.charCodeAt(index) & 31)
  return letters >>> 0
}

/** Whether at most `limit` bits are set. */
function hasAtMostBits(bits: number, limit: number): boolean {
  let remainingBits = bits
  for (let remaining = limit; remaining > 0 && remainingBits !== 0; remaining--) remainingBits &= remainingBits - 1
  return remainingBits === 0
}

function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let index = from; index < to; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) | 0
}

/** Returns the array, or a larger copy with room for `length` numbers. */
export function ensureCapacity<Numbers extends Int32Array | Uint32Array | Uint8Array>(
  array: Numbers,
  length: number,
): Numbers {
  if (length <= array.length) return array
  const copy = new (array.constructor as new (length: number) => Numbers)(Math.max(length, array.length * 2, 64))
  copy.set(array)
  return copy
}
