import { RecordingPeaks } from '@parley/contract/call-recording'
import { createPeaks } from '@parley/engine/audio/peaks'
import { buildWavHeader } from '@parley/engine/audio/wav'
import type { BlobStore } from '../../kernel/storage/blobs.ts'
import {
  computeDurationMs,
  FRAME_BYTES,
  getRecordingPrefix,
  type RecordingLayout,
  splitIntoSegments,
} from './recording-layout.ts'

const CHANNELS = 2
/** Maximum number of peak pairs, enough for any screen. Long calls have fewer pairs per second. */
const MAX_PAIRS = 6_000
const PAIRS_PER_SECOND = [50, 20, 10, 5, 2]
const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** Computes the peaks of a recording. */
export async function computePeaks(blobs: Pick<BlobStore, 'read'>, layout: RecordingLayout): Promise<RecordingPeaks> {
  const durationMs = computeDurationMs(layout)
  const perSecond = PAIRS_PER_SECOND.find((pairsPerSecond) => (pairsPerSecond * durationMs) / 1000 <= MAX_PAIRS) ?? 1
  const peaks = createPeaks({ rateHz: layout.rateHz, channels: CHANNELS, perSecond })
  let remainder: Uint8Array = new Uint8Array(0)
  for await (const chunk of readAudio(blobs, layout, { start: 0, length: layout.dataBytes })) {
    const bytes = remainder.length === 0 ? chunk : Buffer.concat([remainder, chunk])
    const completeBytes = bytes.length - (bytes.length % FRAME_BYTES)
    peaks.push(toSamples(bytes.subarray(0, completeBytes)))
    remainder = bytes.slice(completeBytes)
  }
  const [caller = new Int16Array(0), agent = new Int16Array(0)] = peaks.finish()
  return { channels: CHANNELS, perSecond, durationMs, peaks: [[...caller], [...agent]] }
}

/** Converts bytes to samples. Copies the bytes, because a view on samples requires an even offset. */
function toSamples(bytes: Uint8Array): Int16Array {
  const copy = Buffer.from(new Uint8Array(bytes).buffer)
  if (!IS_LITTLE_ENDIAN) copy.swap16()
  return new Int16Array(copy.buffer, copy.byteOffset, bytes.length / Int16Array.BYTES_PER_ELEMENT)
}

/** Reads the stored peaks of a recording, or returns null if they are missing or invalid. */
export async function readStoredPeaks(blobs: Pick<BlobStore, 'read'>, callId: string): Promise<RecordingPeaks | null> {
  const bytes = Buffer.concat(await Array.fromAsync(blobs.read(getPeaksKey(callId))))
  if (bytes.length === 0) return null
  try {
    const { success, data } = RecordingPeaks.safeParse(JSON.parse(bytes.toString()))
    return success ? data : null
  } catch {
    return null
  }
}

export async function storePeaks(blobs: Pick<BlobStore, 'put'>, callId: string, peaks: RecordingPeaks): Promise<void> {
  await blobs.put(getPeaksKey(callId), Buffer.from(JSON.stringify(peaks)))
}

function getPeaksKey(callId: string): string {
  return `${getRecordingPrefix(callId)}peaks.json`
}

const SILENCE = new Uint8Array(64 * 1024)

/** Reads exactly `length` bytes of audio from `start`. Missing audio is silence. */
async function* readAudio(
  blobs: Pick<BlobStore, 'read'>,
  layout: RecordingLayout,
  { start, length }: { readonly start: number; readonly length: number },
): AsyncGenerator<Uint8Array> {
  for (const range of splitIntoSegments(layout, start, length)) {
    let remainingBytes = range.length
    if (range.key !== null) {
      for await (const bytes of blobs.read(range.key, { start: range.start, length: range.length })) {
        remainingBytes -= bytes.length
        yield bytes
      }
    }
    // Fills a missing or incomplete segment with silence.
    for (; remainingBytes > 0; remainingBytes -= Math.min(remainingBytes, SILENCE.length))
      yield SILENCE.subarray(0, Math.min(remainingBytes, SILENCE.length))
  }
}

/** The channels to play. */
export type RecordingChannel = 'stereo' | 'mixed' | 'caller' | 'agent'

/** A recording as a WAV file, generated while it is read. */
export interface WavFile {
  readonly sizeBytes: number
  /** Reads exactly these bytes of the file. */
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
  const header = buildWavHeader({ rateHz: layout.rateHz, channels: frameBytes / SAMPLE_BYTES, dataBytes })

  async function* read(start: number, length: number): AsyncGenerator<Uint8Array> {
    if (start < header.length) yield header.subarray(start, start + length)
    const audioStart = Math.max(0, start - header.length)
    const remainingBytes = Math.min(start + length - header.length, dataBytes) - audioStart
    if (remainingBytes <= 0) return
    if (channel === 'stereo') {
      yield* readAudio(blobs, layout, { start: audioStart, length: remainingBytes })
      return
    }
    // Reads whole stereo samples, even if only part of a sample is needed.
    const firstFrame = Math.floor(audioStart / frameBytes)
    const endFrame = Math.ceil((audioStart + remainingBytes) / frameBytes)
    const sourceRange = { start: firstFrame * FRAME_BYTES, length: (endFrame - firstFrame) * FRAME_BYTES }
    const monoAudio = toMono(readAudio(blobs, layout, sourceRange), channel)
    yield* sliceBytes(monoAudio, audioStart - firstFrame * frameBytes, remainingBytes)
  }

  return { sizeBytes: header.length + dataBytes, read }
}

async function* toMono(
  source: AsyncIterable<Uint8Array>,
  channel: Exclude<RecordingChannel, 'stereo'>,
): AsyncGenerator<Uint8Array> {
  let remainder: Uint8Array = new Uint8Array(0)
  for await (const chunk of source) {
    const bytes =
      remainder.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([remainder, chunk])
    const completeBytes = bytes.length - (bytes.length % FRAME_BYTES)
    const monoBytes = Buffer.allocUnsafe(completeBytes / 2)
    for (let offset = 0; offset < completeBytes; offset += FRAME_BYTES) {
      monoBytes.writeInt16LE(readSample(bytes, offset, channel), offset / 2)
    }
    remainder = Uint8Array.prototype.slice.call(bytes, completeBytes)
    yield monoBytes
  }
}

function readSample(bytes: Buffer, offset: number, channel: 'mixed' | 'caller' | 'agent'): number {
  if (channel === 'caller') return bytes.readInt16LE(offset)
  if (channel === 'agent') return bytes.readInt16LE(offset + SAMPLE_BYTES)
  const sum = bytes.readInt16LE(offset) + bytes.readInt16LE(offset + SAMPLE_BYTES)
  return Math.max(-32_768, Math.min(32_767, sum))
}

/** Skips the first `skipBytes` bytes and yields the next `length` bytes. */
async function* sliceBytes(
  source: AsyncIterable<Uint8Array>,
  skipBytes: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  let remainingSkipBytes = skipBytes
  let remainingBytes = length
  for await (const chunk of source) {
    const part = chunk.subarray(remainingSkipBytes, remainingSkipBytes + remainingBytes)
    remainingSkipBytes = Math.max(0, remainingSkipBytes - chunk.length)
    remainingBytes -= part.length
    if (part.length > 0) yield part
    if (remainingBytes === 0) return
  }
}
