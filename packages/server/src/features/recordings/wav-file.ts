import { wavHeader } from '@parley/engine/audio/wav'
import type { BlobStore } from '../../kernel/storage/blobs.ts'
import { readAudio } from './read-audio.ts'
import { FRAME_BYTES, type RecordingLayout } from './recording-layout.ts'

/** Which side is heard. */
export type RecordingChannel = 'stereo' | 'mixed' | 'caller' | 'agent'

/** A recording as a WAV file that is made while it is read. */
export interface WavFile {
  readonly sizeBytes: number
  /** Exactly these bytes of the file. */
  read(start: number, length: number): AsyncIterable<Uint8Array>
}

const SAMPLE_BYTES = 2

export function openWavFile(
  blobs: Pick<BlobStore, 'read'>,
  layout: RecordingLayout,
  channel: RecordingChannel,
): WavFile {
  const frameBytes = channel === 'stereo' ? FRAME_BYTES : SAMPLE_BYTES
  const dataBytes = (layout.dataBytes / FRAME_BYTES) * frameBytes
  const header = wavHeader({ rateHz: layout.rateHz, channels: frameBytes / SAMPLE_BYTES, dataBytes })

  async function* read(start: number, length: number): AsyncGenerator<Uint8Array> {
    if (start < header.length) yield header.subarray(start, start + length)
    const from = Math.max(0, start - header.length)
    const remaining = Math.min(start + length - header.length, dataBytes) - from
    if (remaining <= 0) return
    if (channel === 'stereo') {
      yield* readAudio(blobs, layout, { start: from, length: remaining })
      return
    }
    // Whole samples of both sides, of which some may be needed in part.
    const firstFrame = Math.floor(from / frameBytes)
    const endFrame = Math.ceil((from + remaining) / frameBytes)
    const source = { start: firstFrame * FRAME_BYTES, length: (endFrame - firstFrame) * FRAME_BYTES }
    const mono = toMono(readAudio(blobs, layout, source), channel)
    yield* sliceBytes(mono, from - firstFrame * frameBytes, remaining)
  }

  return { sizeBytes: header.length + dataBytes, read }
}

async function* toMono(
  source: AsyncIterable<Uint8Array>,
  channel: Exclude<RecordingChannel, 'stereo'>,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0)
  for await (const chunk of source) {
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % FRAME_BYTES)
    const mono = Buffer.allocUnsafe(whole / 2)
    for (let at = 0; at < whole; at += FRAME_BYTES) {
      mono.writeInt16LE(sampleAt(bytes, at, channel), at / 2)
    }
    rest = Uint8Array.prototype.slice.call(bytes, whole)
    yield mono
  }
}

function sampleAt(bytes: Buffer, at: number, channel: 'mixed' | 'caller' | 'agent'): number {
  if (channel === 'caller') return bytes.readInt16LE(at)
  if (channel === 'agent') return bytes.readInt16LE(at + SAMPLE_BYTES)
  const sum = bytes.readInt16LE(at) + bytes.readInt16LE(at + SAMPLE_BYTES)
  return Math.max(-32_768, Math.min(32_767, sum))
}

/** Leaves out the first bytes, and what follows after so many. */
async function* sliceBytes(
  source: AsyncIterable<Uint8Array>,
  skip: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  let skipped = skip
  let remaining = length
  for await (const chunk of source) {
    const part = chunk.subarray(skipped, skipped + remaining)
    skipped = Math.max(0, skipped - chunk.length)
    remaining -= part.length
    if (part.length > 0) yield part
    if (remaining === 0) return
  }
}
