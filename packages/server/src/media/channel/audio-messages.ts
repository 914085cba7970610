import type { Frame, FrameFactory } from '@parley/engine/audio/frame'

/** The header is the number of the first sample. */
const HEADER_BYTES = 4
const SAMPLE_BYTES = Int16Array.BYTES_PER_ELEMENT
const SAMPLE_MODULUS = 2 ** 32
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** Content of a binary message. */
export interface AudioMessage {
  /** First sample number modulo 2^32. */
  readonly startSample: number
  readonly samples: Int16Array
}

/** Encodes a frame for the live channel. */
export function encodeAudio(frame: Frame, startSample: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + frame.length * SAMPLE_BYTES)
  bytes.writeUInt32LE(startSample % SAMPLE_MODULUS, 0)
  bytes.set(new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength), HEADER_BYTES)
  if (!IS_LITTLE_ENDIAN) bytes.subarray(HEADER_BYTES).swap16()
  return bytes
}

/** Joins consecutive encoded frames into one message. */
export function joinAudio(messages: readonly Buffer[]): Buffer {
  const [firstMessage, ...rest] = messages
  if (firstMessage === undefined || rest.length === 0) return firstMessage ?? Buffer.alloc(0)
  return Buffer.concat([firstMessage, ...rest.map((message) => message.subarray(HEADER_BYTES))])
}

/** Decodes a binary message. Returns null if it contains no samples or an incomplete sample. */
export function decodeAudio(bytes: Buffer, newFrame: FrameFactory): AudioMessage | null {
  const sampleBytes = bytes.length - HEADER_BYTES
  if (sampleBytes < SAMPLE_BYTES || sampleBytes % SAMPLE_BYTES !== 0) return null
  // Copies the samples, because the message can start at an odd address and its memory belongs to the socket.
  const samples = newFrame(sampleBytes / SAMPLE_BYTES)
  for (let index = 0, offset = HEADER_BYTES; offset < bytes.length; index += 1, offset += SAMPLE_BYTES) {
    samples[index] = (bytes[offset] as number) | ((bytes[offset + 1] as number) << 8)
  }
  return { startSample: bytes.readUInt32LE(0), samples }
}

/** Returns the full sample number closest to the expected number. */
export function unwrapSample(wrapped: number, expected: number): number {
  const distance = (wrapped - (expected % SAMPLE_MODULUS) + SAMPLE_MODULUS) % SAMPLE_MODULUS
  return expected + (distance < SAMPLE_MODULUS / 2 ? distance : distance - SAMPLE_MODULUS)
}
