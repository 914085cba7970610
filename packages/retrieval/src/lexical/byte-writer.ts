import { bytesChecksum } from './hash-text.ts'

/** Bytes that grow as they are written. */
export class ByteWriter {
  #bytes = new Uint8Array(4096)
  #length = 0

  get length(): number {
    return this.#length
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** An integer from 0 to 2^32 - 1, seven bits a byte. */
  varint(value: number): void {
    this.#reserve(5)
    let rest = value >>> 0
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  uint32(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 255)
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Everything written, ended by its checksum. */
  finish(): Uint8Array {
    this.uint32(bytesChecksum(this.#bytes, this.#length))
    return this.#bytes.slice(0, this.#length)
  }

  /** What has been written since `from`. */
  view(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}
