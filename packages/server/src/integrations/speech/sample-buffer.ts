import { endianness } from 'node:os'
import { buildWavHeader } from '@parley/engine/audio/wav'

const IS_BIG_ENDIAN = endianness() === 'BE'

/** A growing buffer of audio samples. */
export class SampleBuffer {
  #samples: Int16Array<ArrayBuffer>
  #length = 0

  constructor(capacity: number) {
    this.#samples = new Int16Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** Appends a copy, because the caller can reuse the frame. */
  append(samples: Int16Array): void {
    const end = this.#length + samples.length
    if (end > this.#samples.length) {
      const largerBuffer = new Int16Array(Math.max(end, this.#samples.length * 2))
      largerBuffer.set(this.#samples.subarray(0, this.#length))
      this.#samples = largerBuffer
    }
    this.#samples.set(samples, this.#length)
    this.#length = end
  }

  /** Keeps only the last samples. */
  keepLast(count: number): void {
    if (this.#length <= count) return
    this.#samples.copyWithin(0, this.#length - count, this.#length)
    this.#length = count
  }

  getSamples(): Int16Array<ArrayBuffer> {
    return this.#samples.subarray(0, this.#length)
  }
}

/** Builds a 16-bit mono WAV file. */
export function toWav(samples: Int16Array, rateHz: number): Buffer {
  const header = buildWavHeader({ rateHz, channels: 1, dataBytes: samples.byteLength })
  const wav = Buffer.alloc(header.length + samples.byteLength)
  wav.set(header)
  // Copied in bulk, because a loop over a minute of samples would block calls for milliseconds.
  wav.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), header.length)
  if (IS_BIG_ENDIAN) wav.subarray(header.length).swap16()
  return wav
}
