import { ensureCapacity } from './growing-array.ts'

const NONE = -1
/** Bytes that a unit of a string takes at most. */
const BYTES_PER_UNIT = 3

/** Words with numbers, in one block of bytes: half a million words of small segments are looked up in milliseconds. */
export class Vocabulary {
  #bytes = new Uint8Array(1024)
  /** Where each word begins; one more than there are words. */
  #starts = new Int32Array(64)
  #hashes = new Int32Array(64)
  /** Letters of each word as bits, and how many there are: what a search for similar words looks at first. */
  #letters = new Uint32Array(64)
  #lengths = new Uint8Array(64)
  #table = new Int32Array(256).fill(NONE)
  #count = 0
  #asked = new Uint8Array(256)
  readonly #encoder = new TextEncoder()
  readonly #decoder = new TextDecoder()

  get count(): number {
    return this.#count
  }

  get sizeBytes(): number {
    const arrays = [this.#bytes, this.#starts, this.#hashes, this.#letters, this.#lengths, this.#table]
    return arrays.reduce((sum, array) => sum + array.byteLength, 0)
  }

  /** The number of the word in `bytes` from `from` to `to`, a new one if it is new. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashBytes(bytes, from, to)
    const slot = this.#slotOf(bytes, from, to, hash)
    const known = this.#table[slot] as number
    return known === NONE ? this.#append(bytes, from, to, hash, slot) : known
  }

  /** The number of a word, -1 for one that is unknown. */
  find(word: string): number {
    const length = this.#encode(word)
    return this.#table[this.#slotOf(this.#asked, 0, length, hashBytes(this.#asked, 0, length))] as number
  }

  text(word: number): string {
    return this.#decoder.decode(this.#bytes.subarray(this.#starts[word], this.#starts[word + 1]))
  }

  /** Words that may be `distance` letters from a word with these letters, or hold it when `longer`. */
  candidates(length: number, letters: number, distance: number, longer: boolean): number[] {
    const found: number[] = []
    const count = this.#count
    const lengths = this.#lengths
    const allLetters = this.#letters
    for (let word = 0; word < count; word++) {
      const apart = (lengths[word] as number) - length
      if (apart < -distance || (apart > distance && !longer)) continue
      const others = allLetters[word] as number
      const missing = letters & ~others
      if (longer && apart > 0 && missing === 0) found.push(word)
      // Every letter that is put in, left out or changed takes away one letter at most, and adds one at most.
      else if (apart <= distance && hasAtMostBits(missing, distance) && hasAtMostBits(others & ~letters, distance)) {
        found.push(word)
      }
    }
    return found
  }

  /** Copies the letters of a word that has at most as many as `letters` has room for; how many there are. */
  copyLetters(word: number, letters: Uint16Array): number {
    const start = this.#starts[word] as number
    const length = this.#lengths[word] as number
    // As many bytes as letters: nothing is beyond ASCII.
    if ((this.#starts[word + 1] as number) - start === length) {
      for (let at = 0; at < length; at++) letters[at] = this.#bytes[start + at] as number
      return length
    }
    const text = this.text(word)
    for (let at = 0; at < text.length; at++) letters[at] = text.charCodeAt(at)
    return text.length
  }

  /** In letters; 255 stands for all that are longer. */
  lengthOf(word: number): number {
    return this.#lengths[word] as number
  }

  /** Whether a word holds `bytes`, or begins with them. */
  contains(word: number, bytes: Uint8Array, isPrefix: boolean): boolean {
    const start = this.#starts[word] as number
    const last = isPrefix ? start : (this.#starts[word + 1] as number) - bytes.length
    for (let from = start; from <= last; from++) {
      let at = 0
      while (at < bytes.length && this.#bytes[from + at] === bytes[at]) at++
      if (at === bytes.length) return true
    }
    return false
  }

  /** Writes a word that is asked for as bytes; how many they are. */
  #encode(word: string): number {
    if (word.length * BYTES_PER_UNIT > this.#asked.length) this.#asked = new Uint8Array(word.length * BYTES_PER_UNIT)
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at)
      if (unit > 127) return this.#encoder.encodeInto(word, this.#asked).written
      this.#asked[at] = unit
    }
    return word.length
  }

  #slotOf(bytes: Uint8Array, from: number, to: number, hash: number): number {
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
    for (let at = from; at < to; at++) if (this.#bytes[start + at - from] !== bytes[at]) return false
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
    this.#describe(word)
    this.#table[slot] = word
    if (this.#count * 2 > this.#table.length) this.#enlargeTable()
    return word
  }

  #describe(word: number): void {
    const end = this.#starts[word + 1] as number
    let letters = 0
    let length = 0
    for (let at = this.#starts[word] as number; at < end; ) {
      const byte = this.#bytes[at] as number
      if (byte < 128) {
        letters |= 1 << (byte & 31)
        length++
        at++
        continue
      }
      const text = this.text(word)
      letters = lettersOf(text)
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

/** Which letters a word has, as bits; several letters may share one. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31)
  return letters >>> 0
}

/** Whether no more than `limit` bits are set. */
function hasAtMostBits(bits: number, limit: number): boolean {
  let rest = bits
  for (let left = limit; left > 0 && rest !== 0; left--) rest &= rest - 1
  return rest === 0
}

function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) | 0
}
