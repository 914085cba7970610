import { endianness } from 'node:os'

const IS_BIG_ENDIAN = endianness() === 'BE'

/** Copies samples to 16-bit little-endian bytes. */
export function toLinear16(samples: Int16Array): Buffer {
  const bytes = Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
  return IS_BIG_ENDIAN ? bytes.swap16() : bytes
}

/** Decodes chunks of 16-bit little-endian samples. A chunk can end within a sample. */
export class Linear16Decoder {
  #pendingByte: Buffer = Buffer.alloc(0)

  /** Returns the samples that the chunk completes. */
  push(chunk: Buffer): Int16Array {
    const bytes = this.#pendingByte.length === 0 ? chunk : Buffer.concat([this.#pendingByte, chunk])
    // Copied, because a view of 16-bit samples must start at an even offset.
    const samples = new Int16Array(bytes.length >> 1)
    const sampleBytes = Buffer.from(samples.buffer)
    bytes.copy(sampleBytes)
    if (IS_BIG_ENDIAN) sampleBytes.swap16()
    this.#pendingByte = Buffer.from(bytes.subarray(sampleBytes.length))
    return samples
  }
}
