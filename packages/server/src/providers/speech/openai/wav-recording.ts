import { endianness } from 'node:os'

const HEADER_BYTES = 44
const IS_BIG_ENDIAN = endianness() === 'BE'

/** Samples in memory that grow at the end. */
export class GrowingRecording {
  #samples: Int16Array<ArrayBuffer>
  #length = 0

  constructor(capacity: number) {
    this.#samples = new Int16Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** Copies: whoever hands frames on may use them again. */
  append(samples: Int16Array): void {
    const end = this.#length + samples.length
    if (end > this.#samples.length) {
      const grown = new Int16Array(Math.max(end, this.#samples.length * 2))
      grown.set(this.#samples.subarray(0, this.#length))
      this.#samples = grown
    }
    this.#samples.set(samples, this.#length)
    this.#length = end
  }

  /** Keeps the last samples only. */
  keepLast(count: number): void {
    if (this.#length <= count) return
    this.#samples.copyWithin(0, this.#length - count, this.#length)
    this.#length = count
  }

  view(): Int16Array<ArrayBuffer> {
    return this.#samples.subarray(0, this.#length)
  }
}

/** A WAV file of one channel with 16 bits. */
export function toWav(samples: Int16Array, rateHz: number): Buffer {
  const wav = Buffer.alloc(HEADER_BYTES + samples.length * 2)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(rateHz, 24)
  wav.writeUInt32LE(rateHz * 2, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(samples.length * 2, 40)
  // A minute of sound sample by sample would hold the calls of this process up for milliseconds.
  wav.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), HEADER_BYTES)
  if (IS_BIG_ENDIAN) wav.subarray(HEADER_BYTES).swap16()
  return wav
}
