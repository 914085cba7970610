/** Duration of one binary frame in milliseconds. */
export const FRAME_MS = 20

/** Size of the header, which contains the number of the first sample. */
const HEADER_BYTES = 4
const MODULUS = 2 ** 32

/** Content of a binary frame. */
interface AudioFrame {
  /** Number of the first sample modulo 2^32. */
  readonly startSample: number
  readonly samples: Int16Array<ArrayBuffer>
}

/** Encodes a frame: the number of the first sample in four bytes, followed by 16-bit samples, all little-endian. */
export function encodeAudioFrame(startSample: number, samples: Int16Array): ArrayBuffer {
  const bytes = new ArrayBuffer(HEADER_BYTES + samples.length * 2)
  const view = new DataView(bytes)
  view.setUint32(0, startSample % MODULUS, true)
  for (let index = 0; index < samples.length; index += 1) {
    view.setInt16(HEADER_BYTES + index * 2, samples[index] ?? 0, true)
  }
  return bytes
}

/** Decodes a binary frame, or returns `null` if the frame is invalid. */
export function decodeAudioFrame(bytes: ArrayBuffer): AudioFrame | null {
  if (bytes.byteLength <= HEADER_BYTES || bytes.byteLength % 2 !== 0) return null
  const view = new DataView(bytes)
  const samples = new Int16Array((bytes.byteLength - HEADER_BYTES) / 2)
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = view.getInt16(HEADER_BYTES + index * 2, true)
  }
  return { startSample: view.getUint32(0, true), samples }
}

/** Returns the number closest to `hint` that equals `wrapped` modulo 2^32. */
export function unwrapSampleNumber(wrapped: number, hint: number): number {
  const base = Math.floor(hint / MODULUS) * MODULUS
  const candidates = [base + wrapped, base + wrapped - MODULUS, base + wrapped + MODULUS].filter(
    (number) => number >= 0,
  )
  return candidates.reduce((best, candidate) => (Math.abs(candidate - hint) < Math.abs(best - hint) ? candidate : best))
}
