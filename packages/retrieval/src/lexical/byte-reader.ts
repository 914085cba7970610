const MAX_UINT32 = 0xffffffff

/** Reads bytes that may be damaged: every read is held against the end. */
export class ByteReader {
  readonly bytes: Uint8Array
  readonly end: number
  position: number

  constructor(bytes: Uint8Array, position: number, end: number) {
    this.bytes = bytes
    this.position = position
    this.end = end
  }

  get remaining(): number {
    return this.end - this.position
  }

  byte(): number {
    if (this.position >= this.end) throw damaged('it ends too early')
    return this.bytes[this.position++] as number
  }

  varint(): number {
    const { bytes, end } = this
    let at = this.position
    let byte = at < end ? (bytes[at++] as number) : 128
    let value = byte & 127
    for (let scale = 128; byte > 127; scale *= 128) {
      if (at >= end) throw damaged('it ends too early')
      byte = bytes[at++] as number
      value += (byte & 127) * scale
      if (value > MAX_UINT32) throw damaged('a number is too large')
    }
    this.position = at
    return value
  }

  uint32(): number {
    let value = 0
    for (let shift = 0; shift < 32; shift += 8) value |= this.byte() << shift
    return value >>> 0
  }

  /** A number of things of which each takes at least `minBytesPerItem`. */
  count(minBytesPerItem: number): number {
    const count = this.varint()
    if (count * minBytesPerItem > this.remaining) throw damaged('it counts more than it holds')
    return count
  }

  /** Passes over `length` bytes; where they begin. */
  skip(length: number): number {
    if (length > this.remaining) throw damaged('it ends too early')
    const from = this.position
    this.position += length
    return from
  }
}

/** What is wrong with a segment that cannot be read. */
export function damaged(problem: string): Error {
  return new Error(`The index segment is damaged: ${problem}.`)
}
